"""The proof of a release of several tables without its source: the tables have the right columns,
keys are 1 to n, references lead to rows, at least k people have whatever may be known of one of
them, counted anew from the released labels (Terrovitis, Mamoulis, Kalnis 2008, section 2; with all
rows known: Nergiz, Clifton, Nergiz 2009), and models about sensitive columns hold. A table's
statements (facts, labels and bounds, columns) are compared with its rows and the policy; an
unexpected fact is refused, as for one table (see :mod:`anonsql.verification.about`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from anonsql.engines.base import (
    COMPLETED_TABLES,
    EXTRA_TABLES,
    KEY,
    OTHER_TABLES,
    REFERENCES,
    Engine,
    ReleaseTables,
    other_tables_of,
    references_of,
)
from anonsql.labels.bench import bench_for
from anonsql.policy import promise_text
from anonsql.policy.columns import acceptances
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.release_parts import COMPLETED, completed_fact
from anonsql.policy.table_plan import TablePlan
from anonsql.risks.kept import counting
from anonsql.verification import columns, completed, labels, order, stated
from anonsql.verification.checks import SOUND, Check, each, require
from anonsql.verification.facts import count_of, facts_of
from anonsql.verification.relational import models
from anonsql.verification.relational.known import Laid, laid_out, recounted
from anonsql.verification.stated import (
    COUNT,
    VERSION,
    Between,
    Exactly,
    Expected,
    Unproved,
    stated_offences,
)
from anonsql.verification.structure import own_offences, structure_offences


def of_values(tables: ReleaseTables, view: TablePlan) -> list[str]:
    """Return the labels of a table that its hierarchies do not have, bounds that are not those of
    their labels, and what ``__columns`` says that is not so. ``view`` is the policy of the table by
    itself."""
    with bench_for(tables.engine) as bench:
        offences, looks = labels.described(bench, tables, view, [], leveled=True)
    names = [column.name for column in tables.engine.columns(tables.rows)]
    return offences + stated.column_offences(view, names, tables.stated_columns, looks)


def of_about(
    release: Mapping[str, ReleaseTables],
    policy: RelationalPolicy,
    rows: Mapping[str, int],
    not_covered: Mapping[str, str],
) -> list[str]:
    """Return the facts of ``__about`` of all tables that the release and the policy contradict, or
    do not ask for. ``rows`` are those of each table, by the policy's name, ``not_covered`` what the
    promise does not cover of a table."""
    facts = {name: facts_of(tables) for name, tables in release.items()}
    offences = []
    for name, about in facts.items():
        expected = _expected(policy, name, rows[name])
        if name in not_covered:
            expected["not_covered"] = Exactly(not_covered[name])
        references, others = references_of(about), other_tables_of(about)
        same = {REFERENCES: references == policy.released_references(name)}
        same[REFERENCES] &= about.get(REFERENCES) == json.dumps(references)
        if name == policy.privacy.of:
            wanted = [policy.released_name(entry) for entry in policy.released if entry != name]
            same[OTHER_TABLES] = sorted(others) == sorted(wanted)
            same[OTHER_TABLES] &= about.get(OTHER_TABLES) == json.dumps(others)
        wrong = stated_offences({f: text for f, text in about.items() if f not in same}, expected)
        different = [f"another {fact} than the policy" for fact, right in same.items() if not right]
        different += _gone(policy, name, about, rows)
        wrong += [f"__about states {text}" for text in different]
        offences += [f"{name}{text}" for text in wrong]
    for fact in ("release", "anonsql"):
        if len({about.get(fact) for about in facts.values()}) > 1:
            offences.append(f"the tables are of different releases: __about has another {fact}")
    return offences


def _expected(policy: RelationalPolicy, name: str, rows: int) -> dict[str, Expected]:
    texts = {
        "method": policy.method.type,
        "k": str(policy.privacy.k),
        "of": policy.released_name(policy.privacy.of),
        "known_rows": str(policy.privacy.known_rows),
        "rows": str(rows),
        KEY: str(policy.tables[name].key),
    }
    by_name: dict[str, Expected] = {
        "release": Unproved("[0-9a-f]{16}"),
        "anonsql": Unproved(VERSION),
    }
    texts |= acceptances(policy.tables[name].columns)
    if policy.has_completed(name):
        texts[COMPLETED] = completed_fact(policy.release.completed)
    if policy.tables[name].public:
        texts["public"] = "yes"
    else:
        texts["promise"] = promise_text.of_tables(policy)
        texts["suppression_limit"] = str(policy.limit(name))
        by_name |= dict.fromkeys(("suppressed", "with_others", "beyond_max_rows"), Unproved(COUNT))
    if name == policy.privacy.of:
        texts |= policy.model_facts
        if policy.release.completed:
            texts[EXTRA_TABLES] = f"__{COMPLETED}"
            texts[COMPLETED_TABLES] = json.dumps(policy.other_completed)
        by_name["loss"] = Between(Fraction(0), Fraction(1))
    return by_name | {fact: Exactly(text) for fact, text in texts.items()}


def _gone(
    policy: RelationalPolicy, name: str, about: Mapping[str, str], rows: Mapping[str, int]
) -> list[str]:
    if policy.tables[name].public:
        return []
    gone, offences = count_of(about, "suppressed"), []
    before = rows[name] + gone + count_of(about, "with_others")
    if gone < 0 or gone > policy.most(name, before):
        offences.append(
            f"suppressed={about.get('suppressed')}, but the policy allows"
            f" {policy.most(name, before):,} of {before:,}"
        )
    can_be = {"with_others": name != policy.privacy.of, "beyond_max_rows": policy.capped(name)}
    offences += [
        f"{fact}={about.get(fact)}, which is impossible"
        for fact, possible in can_be.items()
        if count_of(about, fact) > 0 and not possible
    ]
    return offences


@dataclass(frozen=True)
class Known:
    """What a release shows of its people: how many they are, and how few match whatever may be
    known of one. ``rows`` are those of each table, by the policy's name; ``not_covered`` says what
    the promise does not cover, of the tables that have rows which are single by kept columns."""

    people: int
    fewest: int
    things: int
    rows: Mapping[str, int]
    not_covered: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Proof:
    """The proof of a release: its tables by name, ``views``, the tables' own policies, and the
    scratch tables ``made`` for the proof and dropped at the end. Checks add the ``offences``, how
    many ``things`` may be known, the ``fewest`` people that one of these fits, and the limits of
    the promise."""

    release: Mapping[str, ReleaseTables]
    policy: RelationalPolicy
    views: Mapping[str, TablePlan]
    made: ExitStack
    offences: list[str] = field(default_factory=list)
    things: int = 0
    fewest: int = 0
    not_covered: dict[str, str] = field(default_factory=dict)

    @property
    def engine(self) -> Engine:
        """The engine that has the release."""
        return self.release[self.policy.privacy.of].engine

    @cached_property
    def laid(self) -> dict[str, Laid]:
        """The tables of people, laid out."""
        rows = {name: tables.rows for name, tables in self.release.items()}
        return self.made.enter_context(laid_out(self.engine, self.policy, rows, self.views))

    @cached_property
    def rows(self) -> dict[str, int]:
        """How many rows the tables have."""
        return {
            name: int(tables.engine.query("verification/rows", table=tables.rows)[0][0])
            for name, tables in self.release.items()
        }


def _names(proof: Proof) -> dict[str, str]:
    return {name: name for name in proof.release}


def _types(proof: Proof, name: str) -> list[str]:
    """Return the references that are not of the kind of the key: as texts they could say more."""
    release, policy = proof.release, proof.policy
    types = {
        other: {column.name: column for column in tables.engine.columns(tables.rows)}
        for other, tables in release.items()
    }
    offences = []
    for column, other in policy.tables[name].references.items():
        own, key = types[name][column], types[other][str(policy.tables[other].key)]
        if own.kind != key.kind:
            offences.append(f"{column!r} is {own.family}, but the key of {other} is {key.family}")
    return offences


def _keys(proof: Proof, name: str) -> list[str]:
    release, policy = proof.release, proof.policy
    table, tables = policy.tables[name], release[name]
    key = str(table.key)
    offences = []
    total, keys, different, least, most = tables.engine.query(
        "verification/relational/keys", table=tables.rows, key=key
    )[0]
    if keys < total or different < total:
        offences.append(f"{total:,} rows have {different:,} different keys")
    elif not table.public and total and (least, most) != (1, total):
        offences.append(
            f"the keys of {total:,} rows go from {least:,} to {most:,}, not from 1 to {total:,}"
        )
    for column, other in table.references.items():
        nulls, dangling = tables.engine.query(
            "verification/relational/dangling",
            table=tables.rows,
            reference=column,
            other=release[other].rows,
            key=str(policy.tables[other].key),
        )[0]
        if dangling or (nulls and not policy.tables[other].public):
            offences.append(
                f"{nulls + dangling:,} rows have a {column!r} that is no key of {other}"
            )
    return offences


def _known(proof: Proof) -> list[str]:
    proof.things, proof.fewest, offences = recounted(proof.engine, proof.policy, proof.laid)
    return offences


def _most(proof: Proof, name: str) -> list[str]:
    most = proof.policy.tables[name].max_rows
    if most is None or proof.policy.tables[name].public:
        return []
    number = proof.laid[name].number
    rows = proof.engine.query("verification/relational/most", number=number)[0][0]
    return [f"a person has {rows:,} rows, more than {most:,}"] if rows > most else []


def _models(proof: Proof) -> list[str]:
    missing = {}  # suppressed by themselves and with others, as the release says
    for name, tables in proof.release.items():
        about = facts_of(tables)
        missing[name] = sum(max(0, count_of(about, fact)) for fact in ("suppressed", "with_others"))
    return models.offences(proof.engine, proof.policy, proof.laid, missing)


def _about(proof: Proof) -> list[str]:
    for name, tables in proof.release.items():
        if not proof.policy.tables[name].public:
            single = counting.not_covered_of(
                tables.engine, tables.rows, proof.views[name], proof.policy.released_name(name)
            )
            proof.not_covered |= {} if single is None else {name: single}
    return of_about(proof.release, proof.policy, proof.rows, proof.not_covered)


def _order(proof: Proof) -> list[str]:
    """Return what is wrong with the order of all tables' rows, and with the numbers of people and
    their rows."""
    release, policy, engine = proof.release, proof.policy, proof.engine
    rows = {name: release[name].rows for name in sorted(release)}
    numbers = [
        [(name, str(policy.tables[name].key))]
        + [
            (other, column)
            for other in rows
            for column, to in sorted(policy.tables[other].references.items())
            if to == name
        ]
        for name in rows
        if not policy.tables[name].public
    ]
    for name, table in rows.items():
        replaced = proof.views[name].replaced
        held = {holder for number in numbers for holder in number}
        numbers += [
            [(name, column.name)]
            for column in engine.columns(table)
            if replaced.get(column.name) == "surrogate" and (name, column.name) not in held
        ]
    made = {
        f"{name}__{COMPLETED}": tables.extras[COMPLETED]
        for name, tables in release.items()
        if COMPLETED in tables.extras
    }
    return order.misnumbered(engine, rows, numbers) + order.unsorted(engine, {**rows, **made})


CHECKS: tuple[Check[Proof], ...] = (
    Check(
        "__about and __columns are those of a run, and all columns have types that releases have",
        each(_names, lambda it, name: own_offences(it.release[name])),
        decisive=True,
    ),
    Check(
        "the tables, their columns and types are those of a run, and each fact is stated once",
        each(_names, lambda it, name: structure_offences(it.release[name], it.views[name])),
        decisive=True,
    ),
    Check("references have the type of the keys", each(_names, _types), decisive=True),
    Check("keys start at 1, and references have targets", each(_names, _keys), decisive=True),
    Check(
        "replacements of identifying columns reveal nothing about the values",
        each(
            _names,
            lambda it, name: columns.replaced_offences(
                it.release[name], it.views[name], besides=it.policy.linked(name)
            ),
        ),
        decisive=True,
    ),
    Check("k people match whatever an attacker may know of a person", _known),
    Check("people have at most max_rows rows", each(_names, _most)),
    Check("sensitive values of matching people keep every promise", _models),
    Check(
        "labels, bounds and __columns agree with the hierarchies",
        each(_names, lambda it, name: of_values(it.release[name], it.views[name])),
    ),
    Check("__about states every fact, and no others", _about),
    Check(
        "the completed tables have the expected draws, and each value is within its label",
        each(
            _names,
            lambda it, name: completed.offences(it.release[name], it.views[name].release.draws),
        ),
        (SOUND,),
    ),
    Check("rows and numbers are in the order of their content", _order, (SOUND,)),
)


def from_release_alone(
    release: Mapping[str, ReleaseTables],
    policy: RelationalPolicy,
    views: Mapping[str, TablePlan],
) -> Known:
    """Return what the released tables show; raise VerificationError listing every offence.
    ``views`` are the policies of the tables by themselves."""
    with ExitStack() as made:
        proof = Proof(release, policy, views, made)
        require(CHECKS, proof)
    people = proof.rows[policy.privacy.of]
    return Known(people, proof.fewest, proof.things, proof.rows, proof.not_covered)
