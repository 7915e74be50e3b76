"""Gather what is needed to verify the facts that a release states, besides its equivalence
classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from anonsql.engines.base import Column, ReleaseTables
from anonsql.labels.bench import Bench
from anonsql.labels.hierarchies import hierarchy_of
from anonsql.policy.policy import Policy
from anonsql.release.columns import COUNT, GROUP
from anonsql.verification import described, labels
from anonsql.verification.expected import Evidence
from anonsql.verification.facts import Classes, count_of, missing_rows


def gather(
    release: ReleaseTables,
    policy: Policy,
    columns: Sequence[Column],
    classes: tuple[Classes, Classes],
    about: Mapping[str, str],
    *,
    staged: bool,
    bench: Bench,
) -> tuple[Evidence, list[str]]:
    """Return the evidence, and the offences in labels, bounds and ``__columns``. ``classes`` are
    those that are judged and those of all quasi-identifying columns; labels are read on the
    ``bench``. Of a ``staged`` release of windows, which have about as many labels as rows, labels
    are not read: the comparison with the source, which proves more, follows."""
    rows = described.stated(release)
    by_name = {column.name: column for column in columns}
    levels = {name: level for name, _, level, _ in rows}
    looks_of = {name: looks for name, _, _, looks in rows}
    read = not (staged and policy.method.label_for_each_row)
    any_masked, missing = count_of(about, "masked") > 0, missing_rows(about)
    masks = any_masked and policy.label_type == "VARCHAR"
    lacking = missing + classes[0].masked
    masked = (
        [identifier for identifier in policy.quasi_identifiers if identifier in by_name]
        if masks
        else []
    )
    stated = {
        # each relocated entry can hide a value
        name: labels.Stated(
            levels.get(name),
            looks_of.get(name),
            lacking + max(0, count_of(about, f"relocated_cells.{name}")),
        )
        for name in (policy.quasi_identifiers if read else ())
    }
    result = labels.describe(bench, release, policy, stated, masked)
    offences = [text for column in result.values() for text in column.offences]
    leveled = policy.method.leveled
    looks = {
        name: (levels.get(name) if leveled else None, column.looks)
        for name, column in result.items()
        if column.looks
    }
    if read:
        offences += described.offences(policy, [column.name for column in columns], rows, looks)
    if policy.bucketized is not None and not offences:
        from anonsql.verification import view  # with sqlglot, which takes long to load

        offences += view.offences(
            release, policy, [by_name[name] for name in policy.quasi_identifiers]
        )
    evidence = Evidence(
        policy,
        about,
        *classes,
        levels=_levels(bench, policy, levels) if leveled else {},
        losses={name: column.losses for name, column in result.items()},
        stated=stated,
        masked=masked,
        counted=_separated(release, policy),
    )
    return evidence, offences


def _levels(
    bench: Bench, policy: Policy, stated: Mapping[str, int | None]
) -> dict[str, tuple[int, int]]:
    """Return the level of each column with the height of its hierarchy."""
    return {
        name: (stated.get(name) or 0, hierarchy_of(bench, policy, name, ordered=True).height)
        for name in policy.quasi_identifiers
    }


def _separated(release: ReleaseTables, policy: Policy) -> dict[str, Fraction]:
    """Return the measures that anatomy alone has."""
    if policy.separated is None or "sensitive" not in release.extras:
        return {}
    names = list(policy.quasi_identifiers)
    measures = release.engine.query(
        "verification/separated_facts",
        table=release.rows,
        sensitive=release.extras["sensitive"],
        group=GROUP.name,
        count=COUNT.name,
        labels=names,
    )
    if not measures:
        return {}
    most, size, *lost = measures[0]
    rows = release.engine.query("verification/rows", table=release.rows)[0][0]
    by_column = [
        Fraction(int(lost[position]), max(1, int(lost[position + 1]) - 1))
        for position in range(0, len(lost), 2)
    ]
    return {
        "sensitive_share": Fraction(int(most), int(size)),
        "group_gcp": sum(by_column, Fraction(0)) / len(by_column) / rows,
    }
