"""What several commands say of a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from anonsql.measures import risk
from anonsql.presentation.documents import Finding, Kept, LeftOutValue, Place, ReachedLimit, Risks
from anonsql.presentation.numbers import Number, percent
from anonsql.presentation.promises import in_words
from anonsql.presentation.tree import Figures, Part, Section, Sentence, findings
from anonsql.privacy import differential
from anonsql.privacy.risk import REACHED, is_of_all
from anonsql.privacy.risk import in_words as limit_in_words
from anonsql.system.numbers import counted

_NAMED = 5  # columns in a sentence, at most
_VALUES_SHOWN = 6
"""Values that a terminal lists."""
WORTH_SHOWING = 0.99
"""The released share from which on a loss is in the JSON document alone."""


def done(tried: bool, text: str) -> Sentence:
    """Return the verdict of a run."""
    return Sentence(f" and verified: {text}.", "Tried" if tried else "Published", "good")


def identity(identity: str | None) -> list[Sentence]:
    """Return that identities are not hidden, where the method does not hide them."""
    return [Sentence("", f"Identity is {identity}.", "warn")] if identity else []


def warned(
    found: Sequence[Finding], *not_covered: str | None, kept: Kept | None = None
) -> list[Sentence]:
    """Return the warnings about a release, the most important one first; of the others a terminal
    has the places (:func:`others`). First come those of the promise, then those that concern most
    rows."""
    without = [] if kept is None else [alone.column for alone in kept.without]
    remedy = f"Make {' and '.join(without) or 'one of them'} quasi-identifying or identifying."
    single = [
        Finding(where="privacy.kept", message=f"{of}.", remedy=remedy) for of in not_covered if of
    ]
    shares = {"privacy.kept": kept.unique / max(kept.rows, 1)} if kept else {}
    for name, classes in kept.sensitive.items() if kept else ():
        shares[f"columns.{name}"] = classes.homogeneous
    said = [*single, *(one for one in found if not (single and one.where == "privacy.kept"))]
    said.sort(key=lambda one: -shares.get(one.where, one.of_promise or "privacy" in one.where))
    first = findings("warning", "warn", said)
    return [*first[:1], *(replace(sentence, on="verbose") for sentence in first[1:])]


def others(warnings: Sequence[Sentence], *shows: str) -> Sentence:
    """Return where the rest is: of the ``warnings``, and what ``--verbose`` ``shows``."""
    rest = [one.lead.partition(" ")[2].replace("columns.", "") for one in warnings[1:]]
    of = _few(list(dict.fromkeys(rest)))
    more = [f"{counted(len(rest), 'more warning')} ({of})"] if rest else []
    return Sentence(f"`--verbose` shows {', '.join([*more, *shows])}.", on="terminal")


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


def promises(
    promises: Mapping[str, str], unit: str = "class", limits: Sequence[ReachedLimit] = ()
) -> list[Sentence]:
    """Return the promises other than k of every class or bucket, and the limits of all."""
    said = ["k counts people, not rows."] if "entity" in promises else []
    said += [
        in_words(name, what, unit)
        for name, what in promises.items()
        if name != "entity" and not is_of_all(name)
    ]
    if f"{differential.PREFIX}epsilon" in promises:
        said.append(differential.in_words(promises))
    for limit in limits:
        facts = {f"risk.{limit.name}": limit.limit, **promises}
        facts[f"{REACHED}{limit.name}"] = f"{limit.reached:.4g}"
        if limit.model:
            facts[f"{REACHED}population_model"] = limit.model
        said.append(limit_in_words(f"risk.{limit.name}", facts))
    return [Sentence(text) for text in said]


def released_to(release: Place) -> Sentence:
    """Return the place of a release."""
    return Sentence(f"{release.database}, table {release.table}.", "Release: ")


def masked_rows(rows: int) -> str:
    """Return how many rows are masked, in words."""
    return f"; {rows:,} rows kept as *" if rows else ""


def risks(risks: Risks, *, people: bool) -> list[Part]:
    """Return the risks of identification, counted in ``people`` or in rows."""
    units = "people" if people else "rows"
    headings = ["risk", "highest", f"average of {units}", f"{units} at risk", "attacker"]
    rows = [
        [
            name,
            *map(percent, (attacker.highest, attacker.average, attacker.records_at_risk)),
            risk.FORMULAS[name],
        ]
        for name, attacker in risks.attackers.items()
    ]
    at_risk = (
        f"{units.capitalize()} at risk have a risk above {percent(1 / (risk.AT_RISK_SIZE + 1))}:"
        f" their classes have at most {risk.AT_RISK_SIZE} {units}, fewer than the 5 that statistical"
        " offices usually ask for."
    )
    return [Figures(headings, rows), Sentence(at_risk, tone="quiet")]


def kept_columns(kept: Kept | None) -> list[Sentence]:
    """Return the kept columns that single rows out, and what classes reveal of sensitive ones."""
    if kept is None or not kept.columns:
        return []
    said = []
    if kept.unique_released:
        taken = [alone.column for alone in kept.without]
        others = [name for name in kept.columns if name not in taken]
        steps = (
            f"Without {', '.join(taken)}, {kept.without[-1].unique:,} rows would be unique by the"
            f" other kept columns ({_few(others)}). "
            if taken and others
            else ""
        )
        said.append(
            f"{steps}By all released columns together {kept.unique_released:,} of {kept.rows:,}"
            f" rows {'is' if kept.unique_released == 1 else 'are'} unique"
            f" ({percent(kept.unique_released / kept.rows)})."
        )
    said += [
        f"{name}: {percent(classes.homogeneous)} of the rows are in classes with a single value"
        f" of it; the most frequent value has at most {percent(classes.highest_share)} of a class."
        for name, classes in kept.sensitive.items()
    ]
    return [Sentence(text) for text in said]


def left_out(losses: Sequence[LeftOutValue], k: int) -> list[Part]:
    """Return the values that lost the greatest shares of their rows, the greatest first."""
    shown = [loss for loss in losses if loss.share < WORTH_SHOWING][:_VALUES_SHOWN]
    if not shown:
        return []
    rows = [
        [
            value.column,
            name_of_value(value, k),
            value.rows,
            Number(f"{'' if value.at_least is None else 'up to '}{value.released:,}"),
            percent(value.share),
        ]
        for value in shown
    ]
    parts: list[Part] = [Figures(["left out", "value", "rows", "released", "share"], rows)]
    if more := len(losses) - len(shown):
        parts.append(Sentence(f"{more:,} more in the JSON document (left_out)."))
    return [Section("", parts)]


def name_of_value(loss: LeftOutValue, k: int) -> str:
    """Return the name of a value; values of few rows have no name."""
    if loss.rare:
        values = "value" if loss.values == 1 else "values"
        return f"{loss.values:,} {values} with fewer than {k} rows"
    return "NULL" if loss.value is None else loss.value


def files(files: int | None) -> list[Sentence]:
    """Return whether the files of a release were compared with the record of their run."""
    if files is None:
        return [
            Sentence(
                "Only its tables were checked, because no catalog here has the SHA-256 of its"
                " files. Compare them with `release.files` in the JSON of the run."
            )
        ]
    compared = f"{counted(files, 'file has', 'files have')} the SHA-256 that the run recorded."
    return [Sentence(compared)] if files else []
