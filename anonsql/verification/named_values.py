"""What can be verified without the source of a release that has no equivalence classes (rings):
whether enough rows can have each value that it names.

A set names its elements, an interval its ends, and a release whose values are built from the data,
as rings are (Wong, Mamoulis, Cheung 2010, section 5.1), names only values that occur in the source.
A row of the source with that value must effectively match at least k released rows, so at least k
must cover the value: who has fewer than k matches in one column alone has fewer than k in all
columns together.
"""

from __future__ import annotations

from anonsql.engines.base import Column, ReleaseTables
from anonsql.labels.bench import Bench
from anonsql.labels.reading import NamedColumn, read_values
from anonsql.labels.readings import ends_of, range_type, read_labels
from anonsql.policy.policy import Policy
from anonsql.verification.facts import count_of, facts_of
from anonsql.verification.labels import bounds_of


def offences(release: ReleaseTables, policy: Policy, bench: Bench) -> list[str]:
    """Return the columns that name values which fewer than k released rows can have. Released
    values are expected to be values of the data, or sets or closed intervals of such: what a label
    of a hierarchy's inner node stands for is not known here."""
    columns = {column.name: column for column in release.engine.columns(release.rows)}
    names = [name for name in policy.quasi_identifiers if name in columns]
    texts = all(columns[name].type == "VARCHAR" for name in names)
    masked = names if texts and count_of(facts_of(release), "masked") > 0 else []
    bounds = {name: bounds_of(name, columns, policy) for name in names}
    named = [
        NamedColumn(number, columns[name], [end.name for end in bounds[name]])
        for number, name in enumerate(names)
    ]
    offending = list[str]()
    if named:
        read_values(bench, release, named, masked)
    for number, name in enumerate(names):
        kind = bounds[name][0].type if bounds[name] else None
        few, many = exposed(bench, number, column_of(bench, number, name, kind), policy.privacy.k)
        if few:
            offending.append(
                f"{few:,} of {many:,} values that {name!r} names can be those of fewer than"
                f" k={policy.privacy.k} rows"
            )
    return offending


def exposed(bench: Bench, number: int, column: Column, k: int) -> tuple[int, int]:
    """Return how many values that a column's released values name are covered by fewer than k rows,
    and how many they name. The column has that ``number`` in the bench's ``labels_values``, and of
    ``column`` has the type of the source's."""
    bench.run("labels/asked_column", "labels_asked", column=number)
    read_labels(bench, column, "labels_readings")
    counts = bench.engine.query(
        "labels/exposed", k=k, span_type=range_type(column), **ends_of(column)
    )
    few, named = counts[0]
    return int(few), int(named)


def column_of(bench: Bench, number: int, name: str, bounds_type: str | None) -> Column:
    """Return the source's column as far as a release tells its type: by its bounds, or by the ends
    of its closed intervals. It has that ``number`` in the bench's ``labels_values``."""
    if bounds_type is not None:
        return Column(name, bounds_type)
    bench.run("labels/asked_column", "labels_asked", column=number)
    intervals, numbers, moments, timed = bench.engine.query("labels/interval_kinds")[0]
    if intervals and numbers == intervals:
        return Column(name, "DECIMAL")
    if intervals and moments == intervals:
        return Column(name, "TIMESTAMP" if timed else "DATE")
    return Column(name, "VARCHAR")
