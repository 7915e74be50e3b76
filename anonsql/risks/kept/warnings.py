"""Warnings about columns that are released as they are, before a release and about one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonsql.engines.base import Column, Engine, Key, Relation
from anonsql.errors import Problem
from anonsql.policy.table_plan import TablePlan
from anonsql.risks.kept import limits
from anonsql.risks.kept.counting import Compared, KeptRisk, Uniqueness, kept_columns, uniqueness
from anonsql.risks.kept.revealing import UniquenessWithout, most_revealing

_NEARLY_UNIQUE = 0.9
_WORTH_SAYING = 0.001  # of the rows; fewer unique ones are only in the JSON document
_HOMOGENEOUS = (
    0.05  # of the released rows in classes with one value; less is only in the JSON document
)
_KEYS = {
    "primary": "is the primary key",
    "unique": "is unique",
    "refers": "refers to the table {}",
    "referred": "is a key to which the table {} refers",
}


@dataclass(frozen=True)
class Earlier:
    """A release of the catalog: its table, and the columns that it has as they were."""

    table: str
    kept: frozenset[str]


@dataclass(frozen=True)
class Findings:
    """Warnings; limits that cannot be met, whatever is suppressed (``problems``); and, where all
    kept columns were examined, the rows that are alone by them, and the columns that contribute
    most."""

    warnings: list[Problem]
    problems: list[Problem]
    rows: Uniqueness | None = None
    steps: Sequence[UniquenessWithout] = ()


def of_source(
    engine: Engine,
    source: Relation,
    columns: Sequence[Column],
    policy: TablePlan,
    *,
    rows: int,
    earlier: Sequence[Earlier] = (),
    declared: Relation = (),
) -> Findings:
    """Examine the columns to be kept: each by itself, for values that point to rows of this or
    other tables, and all together, in people where the policy names them. Keys are those of the
    ``declared`` relation, where the source is a view of it."""
    kept = kept_columns(policy, columns)
    if not kept or rows < 2:
        return Findings([], [])
    values = engine.query("risks/kept/distinct", relation=source, columns=kept)[0]
    counts = dict(zip([comparison.name for comparison in kept], values, strict=True))
    keys = engine.keys(declared or source)
    warnings = _single(policy, counts, keys, rows, earlier) + _composite(counts, keys)
    person = next(
        (Compared(column) for column in columns if column.name == policy.privacy.entity), None
    )
    k = policy.privacy.k
    rest = [comparison for comparison in kept if counts[comparison.name] <= _NEARLY_UNIQUE * rows]
    allowed, problems = policy.privacy.kept, list[Problem]()
    if allowed.max_unique is not None or allowed.max_below_k is not None:
        problems = _beyond(policy, uniqueness(engine, source, kept, k))
    if _limited(policy) or k == 1:
        return Findings(warnings, problems)
    result = uniqueness(engine, source, rest, k, person)
    if result.unique <= _WORTH_SAYING * rows:
        return Findings(warnings, problems)
    steps = most_revealing(engine, source, rest, result, k, people=person)
    names = [column.name for column in rest]
    warnings.append(_together(result, names, steps, besides=len(rest) < len(kept)))
    whole = len(rest) == len(kept) and person is None
    return Findings(warnings, problems, result if whole else None, steps)


def of_release(
    policy: TablePlan, kept_risk: KeptRisk, steps: Sequence[UniquenessWithout]
) -> list[Problem]:
    """Return warnings about the kept columns of a release, judged by itself."""
    k, kept = policy.privacy.k, kept_risk.kept
    known = _limited(policy) or k == 1 or kept.unique <= _WORTH_SAYING * kept.rows
    together = [] if known else [_together(kept, kept_risk.columns, steps)]
    return together + homogeneous(policy, kept_risk)


def _limited(policy: TablePlan) -> bool:
    """Return whether a policy limits unique rows. A limit of 1 allows all, and decides nothing."""
    limit = policy.privacy.kept.max_unique
    return limit is not None and limit < 1


def homogeneous(policy: TablePlan, kept_risk: KeptRisk) -> list[Problem]:
    """Return a warning for each sensitive column without a promise that many classes reveal."""
    promised = {name for _, name in policy.privacy.named_columns()}
    return [
        Problem(
            f"columns.{name}",
            f"{classes.homogeneous:.1%} of the released rows are in classes with a single value"
            " of this sensitive column: an attacker who knows a person's class learns the value.",
            f"To protect the column, promise e.g. privacy.l_diversity: {{{name}: 2}}.",
        )
        for name, classes in kept_risk.sensitive.items()
        if classes.homogeneous > _HOMOGENEOUS and name not in promised
    ]


def _single(
    policy: TablePlan,
    counts: Mapping[str, int],
    keys: Sequence[Key],
    rows: int,
    earlier: Sequence[Earlier],
) -> list[Problem]:
    problems = []
    for name, count in counts.items():
        reasons = [f"{count:,} of {rows:,} values differ"] if count > _NEARLY_UNIQUE * rows else []
        for key in keys:  # a key of few values is that of a lookup table, not of people
            if key.columns == (name,) and (key.kind in ("primary", "unique") or count**2 > rows):
                reasons.append(f"it {_KEYS[key.kind].format(key.other)}")
        if not reasons:
            continue
        if before := sorted({entry.table for entry in earlier if name in entry.kept}):
            tables = ", ".join(before[:3])
            reasons.append(
                f"earlier releases also keep it unchanged and can be joined by it ({tables})"
            )
        role, listed = policy.columns[name].role, "; ".join(reasons)
        text = f"this {role} column is released unchanged, and {listed}."
        problems.append(
            Problem(
                f"columns.{name}",
                text,
                "If the column can be linked to a person, make it identifying or"
                " quasi-identifying.",
            )
        )
    return problems


def _composite(counts: Mapping[str, int], keys: Sequence[Key]) -> list[Problem]:
    return [
        Problem(
            "columns",
            f"{', '.join(key.columns)} are released unchanged, and each of their combinations "
            + (
                "is unique."
                if key.kind in ("primary", "unique")
                else f"points to rows of the table {key.other}."
            ),
            "Make one of them identifying or quasi-identifying, unless no attacker can know them.",
        )
        for key in keys
        if len(key.columns) > 1 and all(name in counts for name in key.columns)
    ]


def _beyond(policy: TablePlan, uniqueness_of_rows: Uniqueness) -> list[Problem]:
    """Return the limits that are exceeded even without all rows that may be suppressed."""
    spared = policy.privacy.max_suppressed(uniqueness_of_rows.rows)
    masks = policy.release.suppressed == "mask"
    over = limits.exceeded(policy.privacy.kept, uniqueness_of_rows, spared, masks=masks)
    even = f", even without the {spared:,} rows that may be suppressed" if spared else ""
    remedy = limits.remedy(())
    return [Problem("privacy.kept", f"{name}{even}.", remedy, unmet=True) for name in over]


def _together(
    about: Uniqueness,
    columns: Sequence[str],
    steps: Sequence[UniquenessWithout],
    *,
    besides: bool = False,
) -> Problem:
    other = "other " if besides else ""
    which = f"the {len(columns)} {other}columns" if len(columns) > 1 else columns[0]
    text = (
        f"{about.unique:,} of {about.rows:,} rows {'is' if about.unique == 1 else 'are'} unique by"
        f" {which} that "
        f"{'are' if len(columns) > 1 else 'is'} released as "
        f"{'they are' if len(columns) > 1 else 'it is'}, and k does not hide those."
    )
    if len(columns) > 1:
        names, left = ", ".join(step.column for step in steps), steps[-1].unique
        few = left * 2 <= about.unique
        text += f" Without {names} it would {'' if few else 'still '}be {left:,}."
    remedy = "Make such columns quasi-identifying or identifying, or round them in a view."
    return Problem("privacy.kept", text, remedy)
