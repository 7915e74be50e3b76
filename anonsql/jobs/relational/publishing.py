"""Stage all tables of a release, prove them together, and publish them together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from anonsql.engines.base import (
    BASE_PARTS,
    KEY,
    OTHER_TABLES,
    REFERENCES,
    Engine,
    Part,
    Relation,
    ReleaseTables,
    Target,
)
from anonsql.errors import PolicyError, VerificationError
from anonsql.jobs.job import Job
from anonsql.jobs.relational.deciding import Decided
from anonsql.jobs.relational.tables import OpenTable, key_of
from anonsql.jobs.timing import timed
from anonsql.policy import promise_text
from anonsql.policy.columns import REPLACED, acceptances
from anonsql.policy.parts import parts_beside
from anonsql.policy.policy import Policy
from anonsql.policy.relational import PUBLIC, RelationalPolicy
from anonsql.privacy.promise import Promise
from anonsql.relational.tables import PersonalTable
from anonsql.release import staging
from anonsql.release.recoding import ByLevels, Recoding, Suppression
from anonsql.risks import shared_values
from anonsql.risks.kept import counting
from anonsql.verification.relational import alone, staged
from anonsql.verification.relational.alone import Known
from anonsql.verification.relational.staged import Staged
from anonsql.version import __version__


class TableTarget:
    """One table of the release, as what is written in stages to a target of one table."""

    def __init__(self, target: Target, first: str, name: str) -> None:
        self._target = target
        names: tuple[Part, ...] = ("rows", "about", "columns")
        self.parts: dict[Part, Part] = dict(
            zip(names, names if name == first else parts_beside(name), strict=True)
        )

    def is_in(self, release: ReleaseTables) -> bool:
        """Return whether a release has this table."""
        return all(part in (*BASE_PARTS, *release.extras) for part in self.parts.values())

    def of(self, release: ReleaseTables) -> ReleaseTables:
        """Return this table of a release."""
        base = {"rows": release.rows, "about": release.about, "columns": release.columns}
        found = {
            part: base.get(whole) or release.extras[whole] for part, whole in self.parts.items()
        }
        within = release.within if self.parts["rows"] == "rows" else tuple  # once a release
        return ReleaseTables.of(release.engine, found, release.strangers, within)


def targets_of(target: Target, policy: RelationalPolicy) -> dict[str, TableTarget]:
    """Return each table's place in the release."""
    first = policy.released_name(policy.privacy.of)
    return {
        name: TableTarget(target, first, policy.released_name(name)) for name in policy.released
    }


def released_tables(
    job: Job, policy: RelationalPolicy, published: ReleaseTables
) -> dict[str, ReleaseTables]:
    """Return the tables of a published release; raise PolicyError where it lacks one."""
    targets = targets_of(job.target, policy)
    if lacking := [name for name, place in targets.items() if not place.is_in(published)]:
        found = f"the release has no table {', '.join(lacking)}."
        raise PolicyError.at("tables", found, "`anonsql run` makes them all.")
    return {name: place.of(published) for name, place in targets.items()}


def view_of(policy: RelationalPolicy, name: str, tables: ReleaseTables) -> Policy:
    """Return what a policy of a released table by itself would say: of a public one that all
    columns without a role are as they are."""
    view = policy.view(name)
    if not policy.tables[name].public:
        return view
    names = [column.name for column in tables.engine.columns(tables.rows)]
    known = {name: PUBLIC for name in names if name not in view.columns}
    return view.model_copy(update={"columns": {**view.columns, **known}})


def described(
    policy: RelationalPolicy, decided: Decided, table: OpenTable
) -> list[tuple[str, str, int | None, str]]:
    """Return of each column of the source its role, its level where it has one, and what it is
    released as."""
    settings = policy.tables[table.name]
    by_name = {attribute.name: attribute for attribute in table.attributes}
    recoding, found = _recoding(decided, table), []
    for column in table.columns:
        name = column.name
        role: str = table.view.columns[name].role
        if name == settings.key or name in settings.references:
            role = "key" if name == settings.key else "reference"
        level, looks = None, "as it is"
        if name in by_name:
            level, looks = recoding.described(by_name[name])
        elif name in table.view.replaced:
            looks = REPLACED[table.view.replaced[name]]
        elif name in table.view.removed:
            looks = "removed"
        found.append((name, role, level, looks))
    return found


def stage(job: Job, policy: RelationalPolicy, decided: Decided) -> dict[str, TableTarget]:
    """Write all tables to the staging area; return their places."""
    targets = targets_of(job.target, policy)
    numbered = {table.name: table for table in decided.coded.tables}
    with timed(job, "stage"):
        for name, place in targets.items():
            table = decided.opened[name]
            _stage_rows(job, place, table, decided, links_of(policy, table, numbered))
            about = _promise(job, policy, table, place.parts["rows"])
            about |= _about(job, policy, decided, numbered.get(name), name)
            recoding = _recoding(decided, table)
            staging.stage_described(
                job.target,
                (place.parts["about"], place.parts["columns"]),
                about,
                staging.column_facts(table.view, recoding),
            )
    return targets


def _stage_rows(
    job: Job,
    place: TableTarget,
    table: OpenTable,
    decided: Decided,
    links: Mapping[int, object],
) -> None:
    """Write the rows of one table."""
    recoding = _recoding(decided, table)
    staging.stage_shuffled(
        job.engine,
        job.target,
        place.parts["rows"],
        "relational/released",
        staging.columns_of(recoding),
        source=table.relation,
        attributes=table.attributes,
        released=table.released,
        levels=decided.node.levels,
        links=links,
        ordering=staging.free_name([column.name for column in table.released]),
    )


def links_of(
    policy: RelationalPolicy, table: OpenTable, numbered: Mapping[str, PersonalTable]
) -> dict[int, object]:
    """Return the columns of a table whose values are replaced by surrogates, by their position in
    the release: its key, and the reference to people."""
    personal = numbered.get(table.name)
    if personal is None:
        return {}
    linked = {personal.key.name: personal.key}
    if personal.link is not None:
        linked[personal.link.reference.name] = personal.link.reference
    return {
        column.position: linked[column.name] for column in table.released if column.name in linked
    }


def _recoding(decided: Decided, table: OpenTable) -> Recoding:
    """Return how a table becomes a released one."""
    levels = decided.node.levels
    none = Suppression(0, masked=False)
    by = ByLevels(levels, "")
    return Recoding(Promise(1), table.attributes, (), by, table.released, none)


def _about(
    job: Job,
    policy: RelationalPolicy,
    decided: Decided,
    table: PersonalTable | None,
    name: str,
) -> dict[str, object]:
    """Return the facts about a table that may be published, besides the promise."""
    of = policy.privacy.of
    facts: dict[str, object] = {
        "method": policy.method.type,
        "k": policy.privacy.k,
        "of": policy.released_name(of),
        "known_rows": policy.privacy.known_rows,
        KEY: policy.tables[name].key,
        REFERENCES: json.dumps(policy.released_references(name)),
    }
    if table is None:
        rows = job.engine.query("sql/rows", table=decided.opened[name].relation)[0][0]
        facts |= {"public": "yes", "rows": rows}
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
    facts |= acceptances(policy.tables[name].columns)
    return {**facts, "release": job.release_id, "anonsql": __version__}


def _promise(job: Job, policy: RelationalPolicy, table: OpenTable, part: Part) -> dict[str, object]:
    """Return the promise, and beside it what it does not cover of a table's staged rows; nothing of
    a public table."""
    if policy.tables[table.name].public:
        return {}
    engine, rows = job.target.staged_rows(part)
    single = counting.not_covered_of(engine, rows, table.view, policy.released_name(table.name))
    promise: dict[str, object] = {"promise": promise_text.of_tables(policy)}
    return promise if single is None else {**promise, "not_covered": single}


def prove(
    job: Job, policy: RelationalPolicy, decided: Decided, targets: Mapping[str, TableTarget]
) -> Known:
    """Prove the staged tables, by themselves and against the source."""
    with timed(job, "verify"):
        built, found = job.target.build()
        views = {name: table.view for name, table in decided.opened.items()}
        tables = {name: place.of(built) for name, place in targets.items()}
        try:
            known = alone.from_release_alone(tables, policy, views, staged=True)
            job.warnings += shared_values.warnings(tables, policy)
            rows = {name: found[place.parts["rows"]] for name, place in targets.items()}
            offences = _differences(job.engine, policy, decided, rows)
            if offences:
                raise VerificationError(offences)
        except VerificationError:
            # a source that changed meanwhile is the likelier cause, and needs another remedy
            job.engine.require_unchanged()
            raise
    return known


def _differences(
    engine: Engine, policy: RelationalPolicy, decided: Decided, rows: Mapping[str, Relation]
) -> list[str]:
    """Return where the staged tables are not the source's, generalized and joined by their new
    keys."""
    numbered = {table.name: table for table in decided.coded.tables}
    tables: list[Staged] = []
    missing = dict.fromkeys(decided.opened, 0)
    for name, table in decided.opened.items():
        key = key_of(policy, table)
        links = links_of(policy, table, numbered)
        personal = numbered.get(name)
        reference = personal.link.reference if personal is not None and personal.link else None
        given = (table.attributes, table.released, key, links, reference)
        tables.append(Staged(name, rows[name], table.relation, *given))
        if name in numbered:
            number = numbered[name].number
            missing[name] = sum(decided.removed(numbered[name])) + decided.coded.beyond[number]
    found = staged.against_source(engine, tables, decided.node.levels, missing)
    if not found and any(missing.values()):
        views = {name: table.view for name, table in decided.opened.items()}
        capped = {name: decided.coded.beyond[table.number] for name, table in numbered.items()}
        found += staged.models_by_source(engine, policy, views, tables, capped)
    return found


def publish(job: Job, policy: RelationalPolicy, decided: Decided) -> None:
    """Put all staged tables in the place of the previous release, as the last thing that can
    fail."""
    with timed(job, "publish"):
        levels: Sequence[tuple[str, int | None, str]] = [
            (f"{table.name}.{attribute.name}", decided.node.levels[attribute.index], "")
            for table in decided.coded.tables
            for attribute in table.attributes
        ]
        job.context.journal.clock.stop()
        job.catalog.record_release(
            job.run, str(job.places.release), policy.whole.release.name, levels
        )
        job.target.publish()
