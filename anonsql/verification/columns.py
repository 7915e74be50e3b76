"""Verification of columns by the release alone: people, where ``privacy.entity`` names the column
that identifies them; kept columns; identifying columns that are replaced; means and medians. And
the limits on the risk of the whole release."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from anonsql.engines.base import ReleaseTables
from anonsql.measures.risk import AT_RISK_SIZE
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.risk import offence
from anonsql.risks import limits, linked
from anonsql.risks.kept import counting
from anonsql.risks.kept import limits as kept_limits
from anonsql.risks.kept.counting import Compared, KeptRisk, Uniqueness
from anonsql.risks.people import People, of_facts
from anonsql.verification.classes import Proof
from anonsql.verification.facts import average_names


def people(proof: Proof) -> list[str]:
    """Return what is wrong with the facts about people. People are counted again where the column
    that identifies them is released; else the rows only bound their number."""
    policy, classes, k = proof.policy, proof.classes, proof.policy.privacy.k
    stated = of_facts(proof.about, classes.classes)
    if stated is None:
        return ["__about does not state the number of people (people_in_classes, min_people)"]
    offences, rows = [], classes.rows - classes.masked
    if stated.least < k and classes.classes:
        offences.append(f"the smallest class has {stated.least:,} people, fewer than k={k}")
    if (
        stated.least > classes.min_class
        or not classes.classes * stated.least <= stated.people <= rows
        or (stated.at_risk > 0) != (0 < stated.least <= AT_RISK_SIZE)
        or stated.at_risk > stated.people
    ):
        listed = ", ".join(f"{name}={value}" for name, value in stated.facts.items())
        text = f"which is impossible with {rows:,} rows in {classes.classes:,} classes"
        offences.append(f"__about states {listed}, {text}")
    entity = policy.privacy.entity or ""
    telling = policy.replaced.get(entity) in (None, "surrogate")
    telling &= entity not in policy.quasi_identifiers
    kept = next((one for one in proof.columns if telling and one.name == entity), None)
    if kept is not None and not offences:
        asked = {"table": proof.release.rows, "people": Compared(kept), **proof.grouping}
        stated = People(*proof.release.engine.query("verification/people", **asked)[0])
    facts = {name: str(value) for name, value in stated.facts.items()}
    proof.counted, proof.texts = replace(classes, people=stated), proof.texts | facts
    proof.bounded |= facts.keys() if kept is None else set()
    return offences


def kept(proof: Proof) -> list[str]:
    """Return where kept columns reveal more than the policy allows, and set the facts about it."""
    risk, facts, offences = kept_risk(proof.release, proof.policy, proof.about)
    proof.counted, proof.texts = replace(proof.classes, kept=risk), proof.texts | facts
    return offences


def kept_risk(
    release: ReleaseTables, policy: TablePlan, about: Mapping[str, str]
) -> tuple[KeptRisk, dict[str, str], list[str]]:
    """Return the risk of a release's kept columns, the facts that ``__about`` must state about it,
    and where it is more than the policy allows."""
    masked = about.get("masked", "0") != "0"
    risk = counting.of_release(release.engine, release.rows, policy, masked=masked)
    facts = {
        name: format(value, ".12g") if isinstance(value, float) else str(value)
        for name, value in risk.facts.items()
    }
    facts |= kept_limits.facts(policy.privacy.kept)
    return risk, facts, _over(release, policy)


def _over(release: ReleaseTables, policy: TablePlan) -> list[str]:
    settings = policy.privacy.kept
    columns = counting.kept_columns(policy, release.engine.columns(release.rows))
    if not kept_limits.facts(settings) or not columns:
        return []
    parameters = {"table": release.rows, "columns": columns, "k": policy.privacy.k}
    return kept_limits.exceeded(
        settings, Uniqueness(*release.engine.query("verification/kept", **parameters)[0])
    )


def replaced_offences(
    release: ReleaseTables, policy: TablePlan, besides: Collection[str] = ()
) -> list[str]:
    """Return the replaced columns, ``besides`` some and those of a wrong type, that have what does
    not replace a value."""
    types = {column.name: column.type for column in release.engine.columns(release.rows)}
    readable = {
        name: what
        for name, what in policy.replaced.items()
        if name in types and name not in besides
        if what != "surrogate" or types[name] == "BIGINT"
    }
    if not readable:
        return []
    asked = {"table": release.rows, "replaced": readable}
    counts = iter(release.engine.query("verification/replaced", **asked)[0])
    wrong = []
    for name, what in readable.items():
        first, second, third = (int(next(counts) or 0) for _ in range(3))
        if what == "surrogate" and (first != third or second != min(1, first)):
            wrong.append(
                f"the {first:,} surrogates in {name!r} go from {second:,} to {third:,}, and not"
                " from 1 without gaps"
            )
        elif what != "surrogate" and first:
            text = "NULL" if what == "null" else "the constant"
            wrong.append(f"{first:,} rows have a value other than {text} in {name!r}")
    return wrong


def replaced(proof: Proof) -> list[str]:
    """Return what is wrong with the columns that replace identifying ones; have the facts of
    surrogates that link rows."""
    if offences := replaced_offences(proof.release, proof.policy):
        return offences
    by_name = linked.of_release(proof.release.engine, proof.release.rows, proof.policy)
    proof.texts |= {name: str(value) for name, value in linked.facts(by_name).items()}
    return []


def averages(proof: Proof) -> list[str]:
    """Return the columns of means and medians with classes where the value is impossible: rows with
    equal labels have the same value within their bounds, masked rows none. Against the source, a
    run proves that it is the mean or median of the source's values (``verification/grouped``)."""
    offences = []
    for name, (own, average) in average_names(proof.policy).items():
        ends = [end for end in (f"{own}_lo", f"{own}_hi") if end in proof.bounds]
        asked = {"name": name, "keys": [*proof.labels, *proof.bounds], "ends": ends}
        wrong = proof.release.engine.query(
            "verification/averages", table=proof.release.rows, **asked
        )[0][0]
        text = f"classes have several values of {name!r}, or a value that cannot be their {average}"
        offences += [f"{wrong:,} {text}"] * (wrong > 0)
    return offences


def of_all_rows(proof: Proof) -> list[str]:
    """Return where the release breaks a limit on its whole risk; set how near it comes to each
    limit. If a population is given by its size, the table's share of it is its rows, with the
    stated missing ones."""
    risk, rows = proof.policy.privacy.risk, proof.rows
    if risk.share(rows) > 1:
        return [f"privacy.risk.population is smaller than the table of {rows:,} rows"]
    sizes: Sequence[tuple[int, int]] = proof.release.engine.query(
        "verification/class_sizes", table=proof.release.rows, **proof.grouping
    )
    reached = limits.reached(risk, sizes, risk.share(rows))
    proof.counted = replace(proof.classes, limits=reached)
    return [offence(risk, limit) for limit in reached if not limit.kept]
