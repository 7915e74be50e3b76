"""The equivalence classes of a release of one table, in whatever form it has them: how many there
are and how large, and whether sensitive values in them keep every promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from anonsql.completion.table import Drawn
from anonsql.engines.base import Column, ReleaseTables
from anonsql.errors import InvariantError
from anonsql.grammar.forms import Looks
from anonsql.labels.bench import Bench
from anonsql.measures.risk import AT_RISK_SIZE
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.promise import Promise, promised_facts
from anonsql.privacy.risk import is_of_all
from anonsql.release.columns import GROUP
from anonsql.star import coded as coding
from anonsql.verification import apart, closeness
from anonsql.verification.facts import (
    Classes,
    bounds_names,
    count_of,
    facts_of,
    measure_of,
    missing_rows,
)


@dataclass
class Proof:
    """The proof of a release of one table, published or ``staged``, and perhaps made ``elsewhere``,
    not by the policy's method. Its labels are read on a ``bench``. ``drawn`` has the completed
    table that a run drew.

    Checks add the ``offences``; the classes that they ``counted``; anatomy's greatest share of a
    sensitive value in a group; the ``texts`` that facts must have; the facts that the rows only
    bound (``bounded``); the levels and looks of the labels that were read; and the facts that the
    release alone does not determine (``open_facts``).
    """

    release: ReleaseTables
    policy: TablePlan
    bench: Bench
    staged: bool
    elsewhere: bool
    drawn: Drawn | None = None
    offences: list[str] = field(default_factory=list)
    counted: Classes | None = None
    sensitive_share: Fraction | None = None
    texts: dict[str, str] = field(default_factory=dict)
    bounded: frozenset[str] = frozenset()
    looks: dict[str, tuple[int | None, Looks]] = field(default_factory=dict)
    open_facts: Sequence[str] = ()

    @property
    def classes(self) -> Classes:
        """The equivalence classes; a check that is decisive has seen to it that there are some."""
        if self.counted is None:
            raise InvariantError("no check has counted the classes of a release")
        return self.counted

    @cached_property
    def about(self) -> dict[str, str]:
        """The facts of ``__about``."""
        return facts_of(self.release)

    @property
    def missing(self) -> int:
        """The rows of the source that the release does not have."""
        return missing_rows(self.about)

    @property
    def rows(self) -> int:
        """The rows of the source."""
        return self.classes.rows + self.missing

    @property
    def suppressed(self) -> int:
        """The rows of the source that are suppressed."""
        return self.missing + self.classes.masked

    def stated_count(self, name: str) -> int:
        """Return a count that the release states; 0 where it states none."""
        return max(0, count_of(self.about, name))

    @cached_property
    def columns(self) -> list[Column]:
        """The columns of the rows."""
        return self.release.engine.columns(self.release.rows)

    @property
    def names(self) -> list[str]:
        """The names of the columns of the rows."""
        return [column.name for column in self.columns]

    @property
    def labels(self) -> list[str]:
        """The columns of labels: with :attr:`bounds` they define the equivalence classes."""
        return [name for name in self.policy.quasi_identifiers if name in self.names]

    @property
    def bounds(self) -> list[str]:
        """The columns of the bounds of labels."""
        return [name for name in self.names if name in bounds_names(self.policy)]

    @property
    def masked(self) -> bool:
        """Whether some rows have ``*`` in all labels, and are of no class."""
        return count_of(self.about, "masked") > 0 and self.policy.label_type == "VARCHAR"

    @property
    def counting(self) -> dict[str, Any]:
        """The parameters of ``verification/classes`` except the columns that define the classes."""
        return {
            "k": self.policy.privacy.k,
            "at_risk": AT_RISK_SIZE,
            "arrays": self.policy.label_type != "VARCHAR",
            "masks": self.masked,
        }

    @property
    def grouping(self) -> dict[str, Any]:
        """The parameters of ``verification/classes`` where all labels and bounds define the
        classes."""
        return {**self.counting, "labels": self.labels, "bounds": self.bounds}

    @property
    def form(self) -> Literal["rings", "groups", "buckets", "classes"] | None:
        """How rows are grouped: in rings; in groups, with sensitive values in a table of their own;
        in groups, with buckets; or in classes of equal rows. None: a way that no check knows."""
        if not self.policy.method.equal_rows_are_classes:
            return "rings"
        if self.policy.separated is not None:
            return "groups"
        if self.policy.bucketized is not None:
            return "buckets"
        return None if self.policy.tabled else "classes"

    def count(self, labels: Sequence[str], bounds: Sequence[str], **other: Any) -> Classes:
        """Return the classes that some columns define."""
        given = {**self.counting, **other, "labels": labels, "bounds": bounds}
        found = self.release.engine.query("verification/classes", table=self.release.rows, **given)
        return Classes(*found[0])


def of_rings(proof: Proof) -> list[str]:
    """Set the facts that a release by rings states: its partitions, and the least number of
    released rows that any row of the source may be. The comparison with the source proves it."""
    rows = proof.release.engine.query("verification/rows", table=proof.release.rows)[0][0]
    least = count_of(proof.about, "min_class")
    at_risk = rows if least <= AT_RISK_SIZE else 0
    expected, classes = (
        measure_of(proof.about, "expected_matches"),
        count_of(proof.about, "classes"),
    )
    proof.counted = Classes(rows, classes, least, 0, 0, at_risk, 0, expected=expected)
    return []


def of_groups(proof: Proof) -> list[str]:
    """Return what is wrong with groups whose sensitive values are released in a table of their own.
    Rows with equal quasi-identifying values are counted too: anatomy does not generalize these
    values, so they can identify people."""
    if offences := apart.group_offences(proof.release, proof.policy, proof.columns):
        return offences
    alike, groups = proof.count(proof.labels, [], k=1), proof.count([], [GROUP.name])
    proof.counted = replace(groups, alike=alike)
    proof.sensitive_share = apart.sensitive_share(proof.release)
    return _small(groups, f"groups with {groups.small_rows:,} rows", proof)


def of_buckets(proof: Proof) -> list[str]:
    """Return what is wrong with the groups and buckets of local generalization."""
    if offences := apart.lacking(proof.policy, proof.release, proof.columns):
        return offences
    groups = proof.counted = proof.count([], [GROUP.name])
    return [
        *apart.unlike(proof.release, proof.policy, proof.columns),
        *_small(groups, f"groups with {groups.small_rows:,} rows", proof),
        *apart.bucket_tables(proof.release, proof.policy, proof.labels),
    ]


def _small(classes: Classes, what: str, proof: Proof) -> list[str]:
    k, small = proof.policy.privacy.k, classes.small_classes
    return [f"{small:,} {what} are smaller than k={k}"] if small else []


def of_combinations(proof: Proof) -> list[str]:
    """Return the offences in the classes of any combination of columns; have those of the one with
    the smallest class."""
    offences: list[str] = []
    for combination in proof.policy.combinations:
        own = [name for name in proof.labels if name in combination]
        bounds = [name for name in proof.bounds if name[:-3] in combination]
        classes = proof.count(own, bounds)
        on_columns = f" on ({', '.join(own)})" if proof.policy.privacy.several else ""
        what = f"classes{on_columns} with {classes.small_rows:,} rows"
        offences += _small(classes, what, proof) + _promise_offences(
            proof, own, bounds, classes.rows
        )
        if proof.counted is None or classes.min_class < proof.counted.min_class:
            proof.counted = classes
    return offences


def _promise_offences(
    proof: Proof, own: Sequence[str], bounds: Sequence[str], rows: int
) -> list[str]:
    """Return the promises about sensitive columns that the classes of some labels and ``bounds``
    break, of so many rows.

    With missing rows the source's own distribution is known within bounds only: a value's share p
    of the release lies in [(1 - s) p, (1 - s) p + s] of the source, s being their share; closeness
    is judged over all values that these rows can have. With missing rows, a class breaks the
    promise only if it does so whatever these rows were.
    """
    privacy = proof.policy.privacy.about_columns()
    coded, problems = coding.plan(privacy, proof.columns, first=1)
    if problems:
        return [f"{problem.where}: {problem.found}" for problem in problems]
    if lacking := len(privacy.coded_columns()) - len(coded):
        return [f"{lacking:,} sensitive columns that the policy makes promises about are missing"]
    if not coded:
        return []
    coded = [coding.with_hierarchy(column, proof.policy, nulls=1) for column in coded]
    promise = Promise.of(privacy, coded).seen_alone(rows, proof.missing)
    keys = [f"k{number}" for number in range(1, len([*own, *bounds]) + 1)]
    classes_of = {"labels": own, "bounds": bounds, "keys": keys}
    classes, failing = closeness.failing(
        proof.release, proof.policy, promise, coded, classes=classes_of, bench=proof.bench
    )
    by_sql = closeness.without_closeness(proof.policy, promise, coded)
    if by_sql.models:
        parameters = {"table": proof.release.rows, "coded": coded, "promise": by_sql}
        others, rows_of_them = proof.release.engine.query(
            "verification/promise", **classes_of, **parameters
        )[0]
        classes, failing = max(classes, others), max(failing, rows_of_them)
    if not classes:
        return []
    of_each = {name: what for name, what in promised_facts(privacy).items() if not is_of_all(name)}
    promised = ", ".join(f"{name} ({what})" for name, what in of_each.items())
    return [f"{classes:,} classes with {failing:,} rows do not keep {promised}"]
