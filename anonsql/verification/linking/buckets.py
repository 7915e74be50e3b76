"""Compare a release that has sensitive values in tables of their own (local: buckets; anatomy:
groups) with its source.

Which released row was which row of the source is not known, so the check asks whether it can be one
at all. A released row *may be* a row of the source if its labels include that row's values, kept
values are equal, an entry is in a bucket exactly if the policy marks it as sensitive to that row (a
column that is ``*``, as in groups where it is hidden, leaves this open), and the value of each such
entry is one of its bucket's. So every true release meets these conditions:

- **Rows.** Each released row can be assigned a row of the source, no two the same one.
- **Buckets.** Column by column, every value of a bucket, as often as the bucket has it, comes from
  a row of the source that one of the bucket's released rows may be in some assignment, no two from
  the same row.
- **Totals.** The values in a column's buckets are values of the source's sensitive entries, no
  value more often than there; and no more of these entries are missing from the buckets than rows
  were left out and entries hidden.

Not proved: that one assignment serves rows and buckets, and all columns with buckets at once (one
bucketized column already makes this a contingency table in three dimensions, which is hard in
general). So values exchanged between buckets whose rows have equal labels, or between rows that
could be each other, may pass. :mod:`anonsql.verification.release_only` verifies that rows of a
group have equal labels, and that groups are large enough and keep their promises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from anonsql.errors import VerificationError
from anonsql.verification.facts import facts_of, missing_rows
from anonsql.verification.linking.link import Link, Pairs
from anonsql.verification.linking.valued import Valued

MOST_PAIRS = 10_000_000
"""The greatest number of pairs that are joined by all columns; with more it is left open whether
rows and buckets are possible."""
_PLACES = {
    "bucket_places": "verification/linking/bucket_places",
    "place_matches": "verification/linking/place_matches",
}


@dataclass(frozen=True)
class JudgedBuckets:
    """The findings on one column: how many values its ``buckets`` have, how many ``sensitive``
    entries the source has and how many released entries are ``hidden``; and whether it is
    ``possible`` that every bucket has its values, None where that is too large to compute. All are
    None where the values cannot be compared, as they come from another engine."""

    buckets: int | None = None
    sensitive: int | None = None
    hidden: int | None = None
    possible: bool | None = None


@dataclass(frozen=True)
class JudgedApart:
    """The findings. ``together``: whether there is an assignment, None where that is too large to
    compute."""

    originals: int
    released: int
    together: bool | None
    buckets: Mapping[str, JudgedBuckets]


def against_source(link: Link) -> JudgedApart:
    """Return how a release with sensitive values in tables of their own compares with the source.
    Raise VerificationError listing every offence."""
    offences = link.unaccounted() + link.uncovering()
    buckets = {column.original.name: JudgedBuckets() for column in link.valued if column.bucket}
    compared = [column for column in link.compared if column.bucket]
    missing = missing_rows(facts_of(link.release))
    for column in compared:
        buckets[column.original.name], more = _totals(link, column, missing)
        offences += more
    if offences:
        raise VerificationError(offences)
    originals, released, _ = link.counts()
    with link.joined(link.facets, MOST_PAIRS) as pairs:
        if pairs is None:
            return JudgedApart(originals, released, None, buckets)
        if lacking := pairs.lacking():
            text = (
                "released rows, with their kept values and those of their buckets, have no matching"
            )
            offences.append(f"{lacking:,} {text} source row of their own")
            raise VerificationError(offences)
        pairs.narrow()
        for column in compared:
            name = column.original.name
            if lacking := _lacking(link, pairs, column):
                text = f"{lacking:,} values of {name!r} in buckets have no matching row there"
                offences.append(f"{text} of their own")
            buckets[name] = replace(buckets[name], possible=not lacking)
    if offences:
        raise VerificationError(offences)
    return JudgedApart(originals, released, True, buckets)


def _totals(link: Link, column: Valued, missing: int) -> tuple[JudgedBuckets, list[str]]:
    """Return what is in the buckets of a column, and the offences where that cannot come from the
    source's sensitive entries, ``missing`` rows having been left out."""
    held, sensitive, surplus, hidden = link.engine.query(
        "verification/linking/bucket_totals",
        j=column.number,
        facet=column.facet,
        label=column.label,
        stars=link.stars(column),
    )[0]
    name, offences = column.original.name, []
    if surplus:
        text = f"{surplus:,} values of {name!r} in buckets have no matching sensitive source cell"
        offences.append(f"{text} of their own")
    if held < (least := sensitive - missing - hidden):
        text = f"{held:,} values of {name!r} are in buckets, but at least {least:,} are sensitive"
        offences.append(f"{text} in the source and neither suppressed nor hidden")
    return JudgedBuckets(held, sensitive, hidden), offences


def _lacking(link: Link, pairs: Pairs, column: Valued) -> int:
    """Return how many values in the buckets of a column cannot be those of different rows of the
    source that may be in them."""
    asked = {"steps": len(link.facets), "facet": column.facet, "j": column.number}
    for made, template in _PLACES.items():
        link.engine.drop(made)
        link.run(made, template, **asked)
    return pairs.lacking("bucket_places", "place_matches")
