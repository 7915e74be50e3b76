"""Stage all tables of a release, prove them together, and publish them together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonsql.engines.base import (
    COMPLETED_TABLES,
    EXTRA_TABLES,
    KEY,
    OTHER_TABLES,
    REFERENCES,
    Part,
    Relation,
    ReleaseTables,
    StatedColumn,
)
from anonsql.errors import PolicyError, VerificationError
from anonsql.grammar.forms import AS_IT_IS
from anonsql.jobs import completing
from anonsql.jobs.job import Job
from anonsql.jobs.relational.state import OpenTable, Tables, tables_of
from anonsql.policy import promise_text
from anonsql.policy.columns import REPLACED, acceptances
from anonsql.policy.relational import PUBLIC, RelationalPolicy
from anonsql.policy.release_parts import COMPLETED, completed_fact
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.promise import Promise
from anonsql.relational.tables import PersonalTable
from anonsql.release import numbering, staging
from anonsql.release.recoding import ByLevels, Recoding, Suppression
from anonsql.risks import linked
from anonsql.risks.kept import counting
from anonsql.verification.relational import release_only, staged
from anonsql.verification.relational.release_only import Known
from anonsql.verification.relational.staged import Staged
from anonsql.version import __version__


@dataclass(frozen=True)
class Proved:
    """A release of several tables that keeps its promise by itself, and what can be known."""

    tables: Mapping[str, ReleaseTables]
    plans: Mapping[str, TablePlan]
    known: Known


def released_tables(job: Job, published: ReleaseTables) -> dict[str, ReleaseTables]:
    """Return the tables of a published release; raise PolicyError where it lacks one."""
    targets = tables_of(job).targets
    if lacking := [name for name, target in targets.items() if not target.is_in(published)]:
        text = f"the release lacks the tables {', '.join(lacking)}."
        raise PolicyError.at("tables", text, "`anonsql run` makes all tables.")
    return {name: target.of(published) for name, target in targets.items()}


def prove_published(job: Job, published: ReleaseTables) -> Proved:
    """Return a published release that is proved by itself; raise VerificationError otherwise."""
    policy = tables_of(job).policy
    tables = released_tables(job, published)
    plans = {name: plan_of(policy, name, table) for name, table in tables.items()}
    return Proved(tables, plans, release_only.from_release_alone(tables, policy, plans))


def plan_of(policy: RelationalPolicy, name: str, tables: ReleaseTables) -> TablePlan:
    """Return the plan of a released table; columns of public ones without a role are as is."""
    plan = policy.plan(name)
    if not policy.tables[name].public:
        return plan
    names = [column.name for column in tables.engine.columns(tables.rows)]
    known = {name: PUBLIC for name in names if name not in plan.columns}
    return plan.changed(columns={**plan.columns, **known})


def described(tables: Tables, table: OpenTable) -> list[StatedColumn]:
    """Return each source column's role, level, and form (None of a removed one) in the release."""
    settings = tables.policy.tables[table.name]
    by_name = {attribute.name: attribute for attribute in table.attributes}
    recoding, described_columns = _recoding(tables, table), []
    for column in table.columns:
        name = column.name
        role: str = table.plan.columns[name].role
        if name == settings.key or name in settings.references:
            role = "key" if name == settings.key else "reference"
        level, looks = None, AS_IT_IS
        if name in by_name:
            level, looks = recoding.by.described(by_name[name])
        elif name in table.plan.replaced:
            looks = REPLACED[table.plan.replaced[name]]
        removed = name in table.plan.removed and name not in table.plan.replaced
        form, text = (None, "removed") if removed else looks
        described_columns.append(StatedColumn(name, role, level, form, text))
    return described_columns


def stage(job: Job) -> None:
    """Write all tables to the staging area."""
    tables = tables_of(job)
    _stage_rows(job)
    for name, target in tables.targets.items():
        table = tables.opened[name]
        about = _promise(job, table, target.parts["rows"]) | _about(job, name)
        staging.stage_described(
            job.target,
            (target.parts["about"], target.parts["columns"]),
            about,
            staging.column_facts(table.plan, _recoding(tables, table)),
        )
    for name, target in tables.targets.items():
        if COMPLETED in target.parts:
            staged_table, part = target.of(job.target.staged()), target.parts[COMPLETED]
            draws, columns = tables.policy.release.completed, tables.opened[name].columns
            completing.stage(job.target, staged_table, draws, columns, part).drop()


def _stage_rows(job: Job) -> None:
    tables = tables_of(job)
    policy = tables.policy
    parts = {name: tables.targets[name].parts["rows"] for name in sorted(tables.targets)}
    rows, surrogates = [], list[numbering.Number]()
    for name, part in parts.items():
        table = tables.opened[name]
        links = links_of(table, tables.decided.numbered)
        given = staging.parameters_of(table.relation, _recoding(tables, table)) | {"links": links}
        given |= {"kept_classes": "", "levels": tables.decided.node.levels}
        columns = staging.columns_of(_recoding(tables, table))
        rows.append(numbering.Rows(part, "release/rows", columns, given))
        own = [column for column in table.released if column.position not in links]
        surrogates += numbering.numbers_of(own, {}, part)
    keys = {
        name: [
            (parts[name], str(policy.tables[name].key)),
            *(
                (parts[other], column)
                for other in parts
                for column, to in sorted(policy.tables[other].references.items())
                if to == name
            ),
        ]
        for name in parts
        if not policy.tables[name].public
    }
    made = numbering.stage(job.engine, job.target, rows, [*keys.values(), *surrogates])
    for name, key in keys.items():
        map_table = tables.decided.numbered[name].key.table
        numbering.replace(job.engine, map_table, {"surrogate": made[key[0]]})


def links_of(table: OpenTable, numbered: Mapping[str, PersonalTable]) -> dict[int, object]:
    """Return a table's key and reference to people by their positions in the release."""
    personal = numbered.get(table.name)
    if personal is None:
        return {}
    numbered_by = {personal.key.name: personal.key}
    if personal.link is not None:
        numbered_by[personal.link.reference.name] = personal.link.reference
    return {
        column.position: numbered_by[column.name]
        for column in table.released
        if column.name in numbered_by
    }


def _recoding(tables: Tables, table: OpenTable) -> Recoding:
    levels = tables.decided.node.levels
    none = Suppression(0, masked=False)
    by = ByLevels(levels, "")
    return Recoding(Promise(1), table.attributes, (), by, table.released, none)


def _about(job: Job, name: str) -> dict[str, object]:
    tables = tables_of(job)
    policy, decided = tables.policy, tables.decided
    of, table = policy.privacy.of, decided.numbered.get(name)
    facts: dict[str, object] = {
        "method": policy.method.type,
        "k": policy.privacy.k,
        "of": policy.released_name(of),
        "known_rows": policy.privacy.known_rows,
        KEY: policy.tables[name].key,
        REFERENCES: json.dumps(policy.released_references(name)),
    }
    if table is None:
        facts |= {"public": "yes", "rows": tables.opened[name].rows}
    else:
        alone, with_others = decided.removed(table)
        facts |= {
            "suppression_limit": policy.limit(name),
            "rows": decided.node.outcome.left[table.number],
            "suppressed": alone,
            "with_others": with_others,
            "beyond_max_rows": decided.coded.beyond[table.number],
        }
    if name == of:
        others = [policy.released_name(name) for name in policy.released if name != of]
        facts |= policy.model_facts
        facts |= {"loss": format(decided.node.loss, ".12g"), OTHER_TABLES: json.dumps(others)}
        if policy.release.completed:
            facts[EXTRA_TABLES] = f"__{COMPLETED}"
            facts[COMPLETED_TABLES] = json.dumps(policy.other_completed)
    if policy.has_completed(name):
        facts[COMPLETED] = completed_fact(policy.release.completed)
    facts |= acceptances(policy.tables[name].columns)
    return {**facts, "release": job.release_id, "anonsql": __version__}


def _promise(job: Job, table: OpenTable, part: Part) -> dict[str, object]:
    policy = tables_of(job).policy
    if policy.tables[table.name].public:
        return {}
    engine, rows = job.target.staged_rows(part)
    single = counting.not_covered_of(engine, rows, table.plan, policy.released_name(table.name))
    promise: dict[str, object] = {"promise": promise_text.of_tables(policy)}
    return promise if single is None else {**promise, "not_covered": single}


def verify_release(job: Job) -> None:
    """Prove the staged tables, by themselves and against the source."""
    tables = tables_of(job)
    built, relations = job.target.build()
    plans = {name: table.plan for name, table in tables.opened.items()}
    staged_tables = {name: target.of(built) for name, target in tables.targets.items()}
    tables.known = release_only.from_release_alone(staged_tables, tables.policy, plans)
    job.warnings += linked.of_tables(staged_tables, tables.policy)
    rows = {name: relations[target.parts["rows"]] for name, target in tables.targets.items()}
    if offences := _differences(job, rows):
        raise VerificationError(offences)


def _differences(job: Job, rows: Mapping[str, Relation]) -> list[str]:
    tables = tables_of(job)
    decided, numbered = tables.decided, tables.decided.numbered
    compared: list[Staged] = []
    missing = dict.fromkeys(tables.opened, 0)
    for name, table in tables.opened.items():
        links = links_of(table, numbered)
        personal = numbered.get(name)
        reference = personal.link.reference if personal is not None and personal.link else None
        columns = (table.attributes, table.released, tables.key(name), links, reference)
        compared.append(Staged(name, rows[name], table.relation, *columns))
        if name in numbered:
            number = numbered[name].number
            missing[name] = sum(decided.removed(numbered[name])) + decided.coded.beyond[number]
    offences = staged.against_source(job.engine, compared, decided.node.levels, missing)
    if not offences and any(missing.values()):
        plans = {name: table.plan for name, table in tables.opened.items()}
        capped = {name: decided.coded.beyond[table.number] for name, table in numbered.items()}
        offences += staged.models_by_source(job.engine, tables.policy, plans, compared, capped)
    return offences


def publish_release(job: Job) -> None:
    """Replace the previous release by all staged tables: the last step that can fail."""
    decided = tables_of(job).decided
    levels: Sequence[tuple[str, int | None, str]] = [
        (f"{table.name}.{attribute.name}", decided.node.levels[attribute.index], "")
        for table in decided.coded.tables
        for attribute in table.attributes
    ]
    job.context.journal.clock.stop()
    job.catalog.record_release(job.run, str(job.places.release), job.first.release.name, levels)
    job.target.publish()
