"""The equivalence classes of a release of one table, in whatever form it has them: how many there are
and how large, and whether sensitive values in them keep every promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from anonsql.engines.base import Column, ReleaseTables
from anonsql.errors import InvariantError
from anonsql.grammar.forms import Looks
from anonsql.labels.bench import Bench
from anonsql.measures.risk import AT_RISK_SIZE
from anonsql.policy.policy import Policy
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
from anonsql.verification.stated import Evidence


@dataclass
class Examined:
    """A release of one table as its checks find it: published or ``staged``, and perhaps made
    ``elsewhere``, not by the policy's method. Its labels are read on a ``bench``.

    Checks add the ``offences``; the classes that they ``counted``; the ``texts`` that facts must
    have, and which of these facts rows only bound (``bounded``); and the levels and looks of the
    labels that were read.
    """

    release: ReleaseTables
    policy: Policy
    bench: Bench
    staged: bool
    elsewhere: bool
    offences: list[str] = field(default_factory=list)
    counted: Classes | None = None
    texts: dict[str, str] = field(default_factory=dict)
    bounded: frozenset[str] = frozenset()
    looks: dict[str, tuple[int | None, Looks]] = field(default_factory=dict)
    evidence: Evidence | None = None

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
        """What ``verification/classes`` takes besides the columns that define the classes."""
        return {
            "k": self.policy.privacy.k,
            "at_risk": AT_RISK_SIZE,
            "arrays": self.policy.label_type != "VARCHAR",
            "masks": self.masked,
        }

    @property
    def grouping(self) -> dict[str, Any]:
        """What ``verification/classes`` takes where all labels and bounds define the classes."""
        return {**self.counting, "labels": self.labels, "bounds": self.bounds}

    @property
    def form(self) -> Literal["rings", "groups", "buckets", "classes"] | None:
        """How rows are made alike: in rings; in groups, with sensitive values in a table of their
        own; in groups, with buckets; or in classes of equal rows. None: a way that no check
        knows."""
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


def of_rings(it: Examined) -> list[str]:
    """Have what a release by rings states of itself: its partitions, and the least number of
    released rows that any row of the source may be. The comparison with the source proves it."""
    rows = it.release.engine.query("verification/rows", table=it.release.rows)[0][0]
    least = count_of(it.about, "min_class")
    at_risk = rows if least <= AT_RISK_SIZE else 0
    expected, classes = measure_of(it.about, "expected_matches"), count_of(it.about, "classes")
    it.counted = Classes(rows, classes, least, 0, 0, at_risk, 0, expected=expected)
    return []


def of_groups(it: Examined) -> list[str]:
    """Return what is wrong with groups whose sensitive values are released in a table of their own.
    Rows with equal quasi-identifying values are counted too: anatomy does not generalize these, so
    they are what identities are at risk by."""
    if offences := apart.group_offences(it.release, it.policy, it.columns):
        return offences
    alike, groups = it.count(it.labels, [], k=1), it.count([], [GROUP.name])
    it.counted = replace(groups, alike=alike)
    return _small(groups, f"groups with {groups.small_rows:,} rows in all", it)


def of_buckets(it: Examined) -> list[str]:
    """Return what is wrong with the groups and buckets of local generalization."""
    if offences := apart.lacking(it.policy, it.release, it.columns):
        return offences
    groups = it.counted = it.count([], [GROUP.name])
    return [
        *apart.unlike(it.release, it.policy, it.columns),
        *_small(groups, f"groups with {groups.small_rows:,} rows in all", it),
        *apart.bucket_tables(it.release, it.policy, it.labels),
    ]


def _small(classes: Classes, what: str, it: Examined) -> list[str]:
    k, small = it.policy.privacy.k, classes.small_classes
    return [f"{small:,} {what} are smaller than k={k}"] if small else []


def of_combinations(it: Examined) -> list[str]:
    """Return the offences in the classes of any combination of columns; have those of the one with
    the smallest class."""
    offences: list[str] = []
    for combination in it.policy.combinations:
        own = [name for name in it.labels if name in combination]
        bounds = [name for name in it.bounds if name[:-3] in combination]
        classes = it.count(own, bounds)
        on_columns = f" on ({', '.join(own)})" if it.policy.privacy.several else ""
        what = f"classes{on_columns} with {classes.small_rows:,} rows in all"
        offences += _small(classes, what, it) + _promise_offences(it, own, bounds, classes.rows)
        if it.counted is None or classes.min_class < it.counted.min_class:
            it.counted = classes
    return offences


def _promise_offences(
    it: Examined, own: Sequence[str], bounds: Sequence[str], rows: int
) -> list[str]:
    """Return the promises about sensitive columns that the classes of some labels and ``bounds``
    break, of so many rows.

    With missing rows the source's own distribution is known within bounds only: a value's share p
    of the release lies in [(1 - s) p, (1 - s) p + s] of the source, s being their share; closeness
    is judged over everything that those rows can be. With missing rows only what must hold whatever
    they were is required; without such rows, the whole promise.
    """
    privacy = it.policy.privacy.about_columns()
    coded, problems = coding.plan(privacy, it.columns, first=1)
    if problems:
        return [f"{problem.where}: {problem.found}" for problem in problems]
    if lacking := len(privacy.coded_columns()) - len(coded):
        return [f"{lacking:,} sensitive columns that promises are about are missing"]
    if not coded:
        return []
    coded = [coding.with_hierarchy(column, it.policy, nulls=1) for column in coded]
    promise = Promise.of(privacy, coded).seen_alone(rows, missing_rows(it.about))
    keys = [f"k{number}" for number in range(1, len([*own, *bounds]) + 1)]
    classes_of = {"labels": own, "bounds": bounds, "keys": keys}
    classes, failing = closeness.failing(
        it.release, it.policy, promise, coded, classes=classes_of, bench=it.bench
    )
    by_sql = closeness.without_closeness(it.policy, promise, coded)
    if by_sql.models:
        parameters = {"table": it.release.rows, "coded": coded, "promise": by_sql}
        others, rows_of_them = it.release.engine.query(
            "verification/promise", **classes_of, **parameters
        )[0]
        classes, failing = max(classes, others), max(failing, rows_of_them)
    if not classes:
        return []
    of_each = {name: what for name, what in promised_facts(privacy).items() if not is_of_all(name)}
    promised = ", ".join(f"{name} ({what})" for name, what in of_each.items())
    return [f"{classes:,} classes with {failing:,} rows in all do not keep {promised}"]
