"""The facts that a release states in ``__about``, and the class sizes that are counted on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonsql.engines.base import ReleaseTables
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.promise import promised_facts
from anonsql.privacy.risk import Reached

if TYPE_CHECKING:
    from anonsql.risks.kept.counting import KeptRisk
    from anonsql.risks.people import People


@dataclass(frozen=True)
class Classes:
    """The equivalence classes counted on a release, in numbers of rows and classes; for rings the
    stated ones (see :class:`anonsql.methods.groups.GroupSizes`). For anatomy, classes are groups,
    and ``alike`` counts rows with equal quasi-identifying values. ``people`` are the facts about
    people, where k counts people; ``kept`` is the risk of kept columns; ``limits`` is how near the
    release comes to its limits."""

    rows: int
    classes: int
    min_class: int
    small_classes: int
    small_rows: int
    at_risk: int
    masked: int
    expected: float | None = None
    alike: Classes | None = None
    people: People | None = None
    kept: KeptRisk | None = None
    limits: Sequence[Reached] = ()


def facts_of(release: ReleaseTables) -> dict[str, str]:
    """Return the facts of ``__about``, by property."""
    facts = release.stated_facts
    return {name: value for name, value in facts if name is not None and value is not None}


def fact_offences(policy: TablePlan, about: Mapping[str, str], classes: Classes) -> list[str]:
    """Return the facts that contradict the rows or fall short of the policy."""
    offences, k = [], policy.privacy.k
    if (
        not k <= count_of(about, "k") <= max(classes.min_class, k)
        or classes.min_class < k <= classes.rows
    ):
        offences.append(
            f"the release promises k={about.get('k')}, the policy k={k}, and the smallest class"
            f" has {classes.min_class:,} rows"
        )
    counts = {
        "rows": classes.rows,
        "masked": classes.masked,
        **({} if policy.privacy.several else {"classes": classes.classes}),
    }
    for name, count in counts.items():
        if about.get(name) != str(count):
            offences.append(f"__about states {name}={about.get(name)}, the table has {count:,}")
    # with differential privacy the number of rows left out is not published
    told = policy.privacy.differential is None
    suppressed = count_of(about, "suppressed") if told else classes.masked
    if suppressed < 0:
        offences.append(f"__about states suppressed={about.get('suppressed')}")
    if suppressed > policy.privacy.max_suppressed(classes.rows + suppressed - classes.masked):
        offences.append(
            f"{suppressed:,} rows were suppressed, more than"
            f" suppression_limit={policy.privacy.suppression_limit} allows"
        )
    for name, required in promised(policy).items():
        if about.get(name) != required:
            offences.append(f"__about states {name}={about.get(name)}, the policy {required}")
    most = policy.method.max_changed(
        classes.rows + missing_rows(about), len(policy.quasi_identifiers)
    )
    if most is not None:
        offences += _relocation_offences(policy, about, most)
    return offences


def promised(policy: TablePlan) -> dict[str, str]:
    """Return what the policy requires of classes and buckets besides k, and of relocation, as
    ``__about`` must state it."""
    return promised_facts(policy.privacy) | policy.method.promised(policy.privacy)


def _relocation_offences(policy: TablePlan, about: Mapping[str, str], most: int) -> list[str]:
    columns = {
        name: count_of(about, f"relocated_cells.{name}") for name in policy.quasi_identifiers
    }
    cells, moved = count_of(about, "relocated_cells"), count_of(about, "relocated_rows")
    if (
        min(columns.values()) < 0
        or cells != sum(columns.values())
        or not max(columns.values()) <= moved <= cells
    ):
        stated = ", ".join(
            f"{name}={about.get(name)}" for name in ("relocated_cells", "relocated_rows")
        )
        return [f"__about states {stated}, which differs from the sum of the columns' counts"]
    return (
        [
            f"{cells:,} cells were relocated, more than"
            f" p={policy.method.promised(policy.privacy)['p']} allows"
        ]
        if cells > most
        else []
    )


def combinations_of(about: Mapping[str, str], names: Collection[str]) -> list[list[str]]:
    """Return the stated combinations of columns, each of which keeps the promise independently;
    none where the release states none, or where names contain the separator."""
    combinations = [part.split(", ") for part in about.get("quasi_identifiers", "").split("; ")]
    return combinations if all(name in names for row in combinations for name in row) else []


def missing_rows(about: Mapping[str, str]) -> int:
    """Return how many rows of the source the release does not have, by its facts."""
    others = ("quarantined", "with_others", "beyond_max_rows")
    return max(0, count_of(about, "suppressed") - max(0, count_of(about, "masked"))) + sum(
        max(0, count_of(about, name)) for name in others
    )


def count_of(about: Mapping[str, str], name: str) -> int:
    """Return a fact as a count; -1 when it is not a count."""
    value = about.get(name, "")
    return int(value) if value.isascii() and value.isdigit() else -1


def measure_of(about: Mapping[str, str], name: str) -> float:
    """Return a fact as a number; 0 when it is not a number."""
    try:
        return float(about.get(name, ""))
    except ValueError:
        return 0.0


def bounds_names(policy: TablePlan) -> set[str]:
    """Return the names that bounds columns can have."""
    return {f"{name}_{end}" for name in policy.quasi_identifiers for end in ("lo", "hi")} - set(
        policy.columns
    )


def average_names(policy: TablePlan) -> dict[str, tuple[str, str]]:
    """Return the names of the columns of means and medians, with the column they are of and which
    of both they are."""
    return {f"{name}_{what}": (name, what) for name, what in policy.averages.items()}
