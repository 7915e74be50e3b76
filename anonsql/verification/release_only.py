"""Verification of a release by nothing but itself and the policy: queries that return offending
rows, groups or values.

Nothing of the search is used: no code, no frequency set, none of its templates but the one that
judges classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anonsql.engines.base import Column, Engine, ReleaseTables
from anonsql.errors import VerificationError
from anonsql.labels.bench import Bench, bench_for
from anonsql.measures.risk import AT_RISK_SIZE
from anonsql.policy.policy import Policy
from anonsql.privacy.promise import Promise, promised_facts
from anonsql.privacy.risk import is_of_all
from anonsql.release.columns import GROUP
from anonsql.risks import linked
from anonsql.star import coded as coding
from anonsql.verification import about as facts
from anonsql.verification import (
    anatomy,
    averages,
    changes,
    close_classes,
    completed,
    differential,
    hierarchies,
    limits,
    local,
    named_values,
    order,
    replaced,
)
from anonsql.verification.evidence import gather
from anonsql.verification.expected import Evidence
from anonsql.verification.facts import (
    Classes,
    bounds_names,
    count_of,
    fact_offences,
    facts_of,
    measure_of,
    missing_rows,
)
from anonsql.verification.kept_columns import kept_risk
from anonsql.verification.people import people_of, telling_column
from anonsql.verification.structure import structure_offences


def from_release_alone(
    release: ReleaseTables, policy: Policy, *, staged: bool = False, elsewhere: bool = False
) -> Classes:
    """Return the equivalence classes that :func:`prove` finds, without the rest of the proof."""
    return prove(release, policy, staged=staged, elsewhere=elsewhere).classes


@dataclass(frozen=True)
class Proof:
    """What was proved of a release: its equivalence classes, and the facts of ``__about`` that the
    release alone does not determine (``open_facts``)."""

    classes: Classes
    open_facts: list[str]


def prove(
    release: ReleaseTables, policy: Policy, *, staged: bool = False, elsewhere: bool = False
) -> Proof:
    """Check what is published, or ``staged``, by nothing but itself and the policy. The values that
    a staged release of windows names are left to the comparison with the source, which proves more
    without reading them. Of a release that was made ``elsewhere``, not by the policy's method, only
    the classes and the facts that it states are judged.

    Where the policy makes its promise for several combinations of columns, each by itself, the
    proof has the classes of the combination with the smallest class. Raise VerificationError
    listing every offence: a column that should not be there, a class smaller than k (bounds columns
    counted in), facts that do not agree with the rows or fall short of the policy.
    """
    with bench_for(release.engine) as bench:
        proof = _prove(release, policy, bench, staged=staged, elsewhere=elsewhere)
    if not elsewhere and (offences := completed.offences(release, policy.release.draws)):
        raise VerificationError(offences)
    return proof


def _prove(
    release: ReleaseTables, policy: Policy, bench: Bench, *, staged: bool, elsewhere: bool
) -> Proof:
    """Return the proof of :func:`prove`, the labels read on a bench."""
    engine = release.engine
    found_columns = engine.columns(release.rows)
    names = [column.name for column in found_columns]
    offences, about = structure_offences(release, policy), facts_of(release)
    labels, bounds = _grouping(policy, names)
    if not labels:
        raise VerificationError(
            [*offences, "no quasi-identifying column of the policy is in the release"]
        )
    if any(column.name in labels and column.type != policy.label_type for column in found_columns):
        raise VerificationError(offences)
    worst, texts = None, policy.label_type == "VARCHAR"
    parameters = {"k": policy.privacy.k, "at_risk": AT_RISK_SIZE, "arrays": not texts}
    parameters["masks"] = count_of(about, "masked") > 0 and texts
    if not policy.method.equal_rows_are_classes:
        worst = _rings_alone(engine, release, about)
        offences += [] if staged else _named(release, policy, bench)
    elif policy.separated is not None:
        separation, worst = _groups(release, policy, found_columns, parameters)
        offences += separation
    elif policy.bucketized is not None:
        found_offences, worst = local.offences(release, policy, found_columns, parameters)
        offences += found_offences
    if worst is None and not policy.tabled:
        judged = release, policy, found_columns, bench
        worst, small = _combinations(judged, missing_rows(about), parameters)
        offences += small
    offences += hierarchies.offences(release, policy, bench)
    if worst is None:  # each combination has a label, but groups can be missing
        raise VerificationError(offences)
    grouping = {**parameters, "labels": labels, "bounds": bounds}
    offences += fact_offences(policy, about, worst)
    counted, people_facts, wrong = people_of(release, policy, about, worst, grouping)
    kept, kept_facts, given_away = kept_risk(release, policy, about)
    linked_facts, wrong_replacements = _replaced(release, policy)
    worst, beyond = limits.of_release(release, policy, about, (worst, grouping))
    offences += [
        *(*wrong, *given_away, *wrong_replacements, *beyond),
        *changes.of_release(release, policy, about),
        *differential.offences(policy, about),
        *averages.of_release(release, policy, names, (labels, bounds)),
    ]
    evidence: Evidence | None = None
    if not (elsewhere or offences):
        offences += order.of_release(release, policy)
    if not elsewhere:
        evidence, more = gather(
            release, policy, found_columns, worst, about, staged=staged, bench=bench
        )
        evidence = replace(
            evidence,
            texts={**people_facts, **kept_facts, **linked_facts},
            bounded=frozenset(people_facts if telling_column(release, policy) is None else ()),
        )
        offences += more + facts.offences(evidence)
    if offences:
        raise VerificationError(list(dict.fromkeys(offences)))
    return Proof(
        replace(worst, people=counted, kept=kept),
        facts.unprovable(evidence) if evidence is not None else [],
    )


def _replaced(release: ReleaseTables, policy: Policy) -> tuple[dict[str, str], list[str]]:
    """Return the facts that ``__about`` must tell of surrogates, and what is wrong with the columns
    that replace identifying ones."""
    if offences := replaced.offences(release, policy):
        return {}, offences
    by_name = linked.of_release(release.engine, release.rows, policy)
    return {name: str(value) for name, value in linked.facts(by_name).items()}, []


def _grouping(policy: Policy, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the released columns whose values define the equivalence classes: labels, and the
    bounds of labels."""
    labels = [name for name in policy.quasi_identifiers if name in names]
    return labels, [name for name in names if name in bounds_names(policy)]


def _combinations(
    judged: tuple[ReleaseTables, Policy, Sequence[Column], Bench],
    missing: int,
    parameters: Mapping[str, Any],
) -> tuple[Classes | None, list[str]]:
    """Return the classes of the combination that has the smallest class, and the offences in any of
    them."""
    release, policy, columns, _ = judged
    worst: Classes | None = None
    offences: list[str] = []
    names = [column.name for column in columns]
    labels, bounds = _grouping(policy, names)
    for combination in policy.combinations:
        grouped_by = (
            [name for name in labels if name in combination],
            [name for name in bounds if name[:-3] in combination],
        )
        if not grouped_by[0]:
            continue
        keys = {"labels": grouped_by[0], "bounds": grouped_by[1]}
        counted = release.engine.query(
            "verification/classes", table=release.rows, **keys, **parameters
        )
        classes = Classes(*counted[0])
        if classes.small_classes:
            on_columns = f" on ({', '.join(grouped_by[0])})" if policy.privacy.several else ""
            offences.append(
                f"{classes.small_classes:,} classes{on_columns} with {classes.small_rows:,} rows"
                f" in all"
                f" are smaller than k={policy.privacy.k}"
            )
        offences += _promise_offences(judged, grouped_by, (classes.rows, missing))
        worst = classes if worst is None or classes.min_class < worst.min_class else worst
    return worst, offences


def _named(release: ReleaseTables, policy: Policy, bench: Bench) -> list[str]:
    """Return the columns in which rings name values that too few rows can have."""
    by_nodes = policy.method.form(ordered=False, least=0) == "node"
    return [] if by_nodes else named_values.offences(release, policy, bench)


def _rings_alone(engine: Engine, release: ReleaseTables, about: Mapping[str, str]) -> Classes:
    """Return what a release by rings states of itself: its partitions, and the least number of
    released rows that any row of the source may be."""
    rows = engine.query("verification/rows", table=release.rows)[0][0]
    least = count_of(about, "min_class")
    at_risk = rows if least <= AT_RISK_SIZE else 0
    return Classes(
        rows,
        count_of(about, "classes"),
        least,
        0,
        0,
        at_risk,
        0,
        expected=measure_of(about, "expected_matches"),
    )


def _groups(
    release: ReleaseTables, policy: Policy, columns: Sequence[Column], parameters: Mapping[str, Any]
) -> tuple[list[str], Classes | None]:
    """Return what is wrong with groups whose sensitive values are released in a table of their own,
    and how large the groups are. Rows with equal quasi-identifying values are counted too: anatomy
    does not generalize these, so they are what identities are at risk by."""
    offences = anatomy.offences(release, policy, columns)
    if offences:
        return offences, None
    labels = [column.name for column in columns if column.name in policy.quasi_identifiers]
    count, table = release.engine.query, release.rows
    alike = Classes(
        *count(
            "verification/classes", table=table, labels=labels, bounds=[], **{**parameters, "k": 1}
        )[0]
    )
    classes = Classes(
        *count("verification/classes", table=table, labels=[], bounds=[GROUP.name], **parameters)[0]
    )
    if classes.small_classes:
        offences.append(
            f"{classes.small_classes:,} groups with {classes.small_rows:,} rows in all are"
            f" smaller than"
            f" k={policy.privacy.k}"
        )
    return offences, replace(classes, alike=alike)


def _promise_offences(
    judged: tuple[ReleaseTables, Policy, Sequence[Column], Bench],
    grouping: tuple[list[str], list[str]],
    rows: tuple[int, int],
) -> list[str]:
    """Return the promises about sensitive columns that classes break. ``grouping`` are the labels
    and bounds columns, ``rows`` those of the release and those missing.

    With missing rows the source's own distribution is known within bounds only: a value's share p
    of the release lies in [(1 - s) p, (1 - s) p + s] of the source, s being their share; closeness
    is judged over everything that those rows can be. With missing rows only what must hold whatever
    they were is required; without such rows, the whole promise.
    """
    release, policy, columns, bench = judged
    privacy = policy.privacy.about_columns()
    coded, problems = coding.plan(privacy, columns, first=1)
    if problems or not coded or len(coded) < len(privacy.coded_columns()):
        return [
            f"{problem.where}: {problem.found}" for problem in problems
        ]  # structure_offences reports a missing column
    coded = [coding.with_hierarchy(column, policy, nulls=1) for column in coded]
    promise = Promise.of(privacy, coded).seen_alone(*rows)
    labels, bounds = grouping
    keys = [f"k{number}" for number in range(1, len(labels + bounds) + 1)]
    classes_of = {"labels": labels, "bounds": bounds, "keys": keys}
    classes, failing = close_classes.failing(
        release, policy, promise, coded, classes=classes_of, bench=bench
    )
    by_sql = close_classes.without_closeness(policy, promise, coded)
    if by_sql.models:
        parameters = {"table": release.rows, "coded": coded, "promise": by_sql}
        others, rows_of_them = release.engine.query(
            "verification/promise", **classes_of, **parameters
        )[0]
        classes, failing = max(classes, others), max(failing, rows_of_them)
    if not classes:
        return []
    of_each = {name: what for name, what in promised_facts(privacy).items() if not is_of_all(name)}
    promised = ", ".join(f"{name} ({what})" for name, what in of_each.items())
    return [f"{classes:,} classes with {failing:,} rows in all do not keep {promised}"]
