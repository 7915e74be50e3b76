"""Gather what is needed to verify the facts that a release states, besides its equivalence
classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from anonsql.engines.base import Column, ReleaseTables
from anonsql.labels.bench import Bench
from anonsql.policy.policy import Policy
from anonsql.release.columns import COUNT, GROUP
from anonsql.verification import described, labels
from anonsql.verification.expected import Evidence
from anonsql.verification.facts import Classes, count_of


def gather(
    release: ReleaseTables,
    policy: Policy,
    columns: Sequence[Column],
    classes: Classes,
    about: Mapping[str, str],
    *,
    staged: bool,
    bench: Bench,
) -> tuple[Evidence, list[str]]:
    """Return the evidence, and the offences in labels, bounds and ``__columns``. ``classes`` are
    those that are judged; labels are read on the ``bench``. Of a ``staged`` release of windows,
    which have about as many labels as rows, labels are not read: the comparison with the source,
    which proves more, follows."""
    rows = release.stated_columns
    by_name = {column.name: column for column in columns}
    said = {one.name: one for one in rows}
    read = not (staged and policy.method.label_for_each_row)
    names = policy.quasi_identifiers if read else ()
    stated = {name: said.get(name) for name in names}
    masks = count_of(about, "masked") > 0 and policy.label_type == "VARCHAR"
    masked = [name for name in policy.quasi_identifiers if name in by_name] if masks else []
    result = labels.describe(bench, release, policy, stated, masked)
    offences = [text for column in result.values() for text in column.offences]
    leveled = policy.method.leveled
    looks = {
        name: (said[name].level if leveled and name in said else None, column.looks)
        for name, column in result.items()
        if column.looks is not None
    }
    if read:
        offences += described.offences(policy, [column.name for column in columns], rows, looks)
    if policy.bucketized is not None and not offences:
        from anonsql.verification import view  # with sqlglot, which takes long to load

        offences += view.offences(
            release, policy, [by_name[name] for name in policy.quasi_identifiers]
        )
    evidence = Evidence(policy, about, classes, _sensitive_share(release, policy))
    return evidence, offences


def _sensitive_share(release: ReleaseTables, policy: Policy) -> Fraction | None:
    """Return the greatest share of a sensitive value in a group of anatomy; None without groups."""
    if policy.separated is None or "sensitive" not in release.extras:
        return None
    shares = release.engine.query(
        "verification/sensitive_share",
        sensitive=release.extras["sensitive"],
        group=GROUP.name,
        count=COUNT.name,
    )
    return Fraction(int(shares[0][0]), int(shares[0][1])) if shares else None
