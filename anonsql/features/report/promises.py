"""The texts of pages on the promises of a release, and on their limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.features.report.document import Promise
from anonsql.over_time.traces import missing_here
from anonsql.policy.columns import KEPT
from anonsql.policy.methods import traits
from anonsql.presentation.promises import OVER_TIME, in_words, is_known, unit_of
from anonsql.privacy import differential, risk

_BOUNDED = (
    "It protects single rows. For a person with several rows, and for all releases of the table"
    " together, the promise is correspondingly weaker. General facts, which hold whoever takes"
    " part, can also be learned about people who do not take part."
)
_KINDS = {
    "phone": "telephone numbers",
    "mail": "mail addresses",
    "url": "links",
    "iban": "bank account numbers",
    "card": "payment card numbers",
    "national-number": "national identification numbers",
    "name": "personal names",
    "free-text": "sentences that occur in no other row",
    "person-key": "keys of people",
}
_FIGURES = {
    "anonsql": "the version of anonsql",
    "release": "the release's number",
    "suppressed": "the number of rows left out",
    **dict.fromkeys(
        (
            *("loss", "gcp", "ncp", "group_gcp", "precision", "discernibility"),
            *("average_class_size", "height", "weighted-height"),
        ),
        "the measures of usefulness",
    ),
    "optimal": "whether no better partition exists",
    "over_time": "which of a series of releases it is",
    "held_back": "the number of rows held back",
    "exposed": "the number of earlier rows that are exposed because they are missing here",
    "relocated_cells": "the number of changed values",
    "relocated_rows": "the number of changed rows",
}
_OF_GROUPS = (
    "Groups can still be described: a trait of most people in a published cell is a likely trait of"
    " each of them."
)
_WITHOUT_ROW = "A cell without a row is empty: readers see that no person has this combination."
_IMPOSSIBLE = (
    "A reader who knows that a combination is impossible knows that this hidden cell is 0, and"
    " may compute other cells from it."
)
_BY_WAY = {
    "suppression": (
        "Contributors of a hidden cell who share their own amounts may compute the rest of it.",
        "Other releases of the same data may reveal cells that are hidden here.",
        "Sums may reveal counts: a reader who knows the amount of each row, such as a price, can"
        " divide by it.",
        _WITHOUT_ROW,
    ),
    "cell-key": (
        (
            "Two cells with the same people have the same counts, which shows that they are the"
            " same people."
        ),
        "Totals are not the sums of their parts, because each value is changed separately.",
    ),
    "noise": (
        "Values may be far from the source's, and small ones may be noise only: `__about` states"
        " the noise of each level. Rows of a person beyond `max_rows`, and amounts beyond `clip`,"
        " are left out; the release does not show how many.",
        "Other releases of the same people reveal more: the budgets spent add up.",
    ),
    "rounding": (
        "Unchanged values in two releases may show that the same people are in the cell.",
    ),
}


def of(
    k: int,
    method: str | None,
    promises: Mapping[str, str],
    known: Sequence[Sequence[str]] = (),
) -> list[Promise]:
    """Return the promises of a release: k first, then ``promises`` by their names in ``__about``.
    ``known`` are the combinations of columns that keep the promise each by itself."""
    unit = unit_of(method or "")
    people = "entity" in promises
    result = [Promise(name=f"k = {k}", says=_of_k(k, method or "", known, people=people))]
    for name, what in promises.items():
        if name.startswith(differential.PREFIX):
            if name == f"{differential.PREFIX}epsilon":  # all of them are one promise
                result.append(Promise(name=f"{name} {what}", says=differential.in_words(promises)))
        elif risk.is_of_all(name):
            result.append(Promise(name=f"{name} {what}", says=risk.in_words(name, promises)))
        elif name != "entity" and not name.startswith(risk.REACHED):
            result.append(Promise(name=f"{name} {what}", says=in_words(name, what, unit)))
    return result


def stated(about: Mapping[str, str]) -> dict[str, str]:
    """Return the promises besides k in ``__about``; that of a series with the rows it leaves
    out."""
    promises = {
        name: value
        for name, value in about.items()
        if name == "entity"
        or risk.is_of_all(name)
        or name.startswith(risk.REACHED)
        or is_known(name)
    }
    if OVER_TIME in promises and (exposed := about.get("exposed", "0")) != "0":
        promises[OVER_TIME] += f", {exposed} exposed"
    return promises


def does_not(
    method: str | None, kept: Sequence[str], identity: str | None, about: Mapping[str, str]
) -> list[str]:
    """Return the limits of a release's promises. ``kept`` are the columns released unchanged."""
    settings = traits(method or "")
    texts = []
    if identity:
        texts.append(
            "It does not hide who is in the release: the columns that others know are published"
            " unchanged. It hides only which sensitive value belongs to whom."
        )
    if kept:
        what = "it" if len(kept) == 1 else "these"
        texts.append(
            f"Nothing is promised about {names(kept)}: a reader who also knows {what} of a person"
            f" may find a single row, and a reader who finds a person's class may guess {what}."
        )
    for name, kinds in about.items():
        what, _, column = name.partition(".")
        if what == "contains" and f"accepted.{column}" in about:
            texts.append(
                f"{column} is released although it contains"
                f" {names([_KINDS.get(kind, kind) for kind in kinds.split(', ')])}. Its owner's"
                f" reason: {about[f'accepted.{column}']}"
            )
    if settings.changes_values:
        texts.append(
            "Not every value is true: a small, stated share was changed to hide rows among others."
        )
    if not settings.equal_rows_are_classes:
        texts.append(
            "A released row may be unique; only its link to a person is uncertain. For a reader"
            " who knows some rows for certain, the chances are no longer equal."
        )
    if (exposed := about.get("exposed", "0")) != "0":
        texts.append(missing_here(int(exposed), int(about.get("k", "1"))) + ".")
    others = (
        "two releases of the same people can be compared, which may reveal more than each does."
    )
    if OVER_TIME in about:
        others = "a release of the same people outside the series may reveal more together with it."
    return [
        *texts,
        f"It does not cover other tables: {others}",
        _BOUNDED
        if f"{differential.PREFIX}epsilon" in about
        else "It is not differential privacy: it does not limit how much a reader with any"
        " additional knowledge can learn.",
        "It does not decide whether these data are anonymous in the sense of a law: that depends"
        " on who receives them and what they know.",
    ]


def left_open(roles: Mapping[str, str], promises: Mapping[str, str]) -> list[str]:
    """Return the columns that are released as they are and that no promise is about."""
    about = {
        name.partition(".")[2]
        for name in promises
        if not (risk.is_of_all(name) or name.startswith(risk.REACHED))
    }
    return [name for name, role in roles.items() if role in KEPT and name not in about]


def facts_in_words(facts: Sequence[str]) -> list[str]:
    """Return facts of ``__about`` as people call them, each once."""
    return list(dict.fromkeys(_FIGURES.get(fact, fact) for fact in facts))


def names(columns: Sequence[str]) -> str:
    """Return names as people list them.

    >>> names(["age"]), names(["age", "sex", "zip"])
    ('age', 'age, sex and zip')
    """
    *most, last = columns or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last


def _of_k(k: int, method: str, known: Sequence[Sequence[str]], *, people: bool) -> str:
    settings = traits(method)
    who = "people" if people else "rows"
    if not settings.equal_rows_are_classes:
        likely = (
            f"none of them is its owner with a probability above 1/{k:,}"
            if people
            else ("each is as likely as the others")
        )
        return (
            f"Every released row may come from any of at least {k:,} {who} of the original table,"
            f" and {likely}."
        )
    if settings.releases_apart and not settings.semi_sensitive:
        return (
            "Sensitive values are published for groups of rows together, and every group has at"
            f" least {k:,} {who}."
        )
    if k == 1:
        return "Nothing is promised about the number of rows with equal values (k = 1)."
    sets = [names(columns) for columns in known] or ["the quasi-identifying columns"]
    says = (
        f"A reader who knows {', or '.join(sets)} of a person finds at least {k:,} {who} here"
        " that match, and cannot determine which of them is the person's."
    )
    return (
        says
        if len(sets) == 1
        else says + " Nothing is promised against a reader who knows all of them."
    )


def statistics_do_not(facts: Mapping[str, str], zeros: Sequence[bool] = ()) -> list[str]:
    """Return the limits of the promises of published statistics, by how they protect cells.
    ``zeros``: for each table whether it hides which cells are empty."""
    of_way = list(_BY_WAY.get(facts.get("protected_by", ""), ()))
    if zeros and all(zeros):
        of_way = [text for text in of_way if text != _WITHOUT_ROW]
    return [*of_way, *([_IMPOSSIBLE] if any(zeros) else []), _OF_GROUPS]
