"""All that is proved of a release of several tables by itself: the tables have the columns that they
should have, keys are 1 to n, references lead to rows, at least k people have whatever may be known
of one of them, counted anew from the released labels (Terrovitis, Mamoulis, Kalnis 2008, section 2;
with all rows known: Nergiz, Clifton, Nergiz 2009), and models about sensitive columns hold."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property

from anonsql.engines.base import Engine, ReleaseTables
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.release_parts import COMPLETED
from anonsql.policy.table_plan import TablePlan
from anonsql.risks.kept import counting
from anonsql.verification import columns, completed, order
from anonsql.verification.checks import SOUND, Check, each, require
from anonsql.verification.facts import count_of, facts_of
from anonsql.verification.relational import facts, models
from anonsql.verification.relational.known import Laid, laid_out, recounted
from anonsql.verification.structure import own_offences, structure_offences


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
    """What is proved of a release: its tables by name, ``views``, the policies of these by themselves,
    and what is ``made`` for the proof and dropped at last. Checks add the ``offences``, how many
    ``things`` may be known and the ``fewest`` people that one of these fits, and what the promise
    does not cover."""

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
            offences.append(f"{column!r} is {own.family}, the key of {other} {key.family}")
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
            offences.append(f"{nulls + dangling:,} rows refer by {column!r} to no row of {other}")
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
    return [f"somebody has {rows:,} rows, more than {most:,}"] if rows > most else []


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
    return facts.of_about(proof.release, proof.policy, proof.rows, proof.not_covered)


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
        "__about and __columns are a run's, and no column is of a type that no release has",
        each(_names, lambda it, name: own_offences(it.release[name])),
        decisive=True,
    ),
    Check(
        "the tables, their columns and types are a run's, and facts are stated once",
        each(_names, lambda it, name: structure_offences(it.release[name], it.views[name])),
        decisive=True,
    ),
    Check("references are of the kind of the keys", each(_names, _types), decisive=True),
    Check("keys are from 1 on, and references lead to rows", each(_names, _keys), decisive=True),
    Check(
        "what replaces identifying columns says nothing of them",
        each(
            _names,
            lambda it, name: columns.replaced_offences(
                it.release[name], it.views[name], besides=it.policy.linked(name)
            ),
        ),
        decisive=True,
    ),
    Check("k people have whatever may be known of one", _known),
    Check("people have max_rows rows at most", each(_names, _most)),
    Check("sensitive values of those who match keep every promise", _models),
    Check(
        "labels, bounds and __columns are such as hierarchies make and say",
        each(_names, lambda it, name: facts.of_values(it.release[name], it.views[name])),
    ),
    Check("__about states every fact, and no other", _about),
    Check(
        "the completed tables are what anybody draws, each value one of its label",
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
