"""One job over several tables: decide the levels of all columns, stage all tables, prove them
together, publish them together."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

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
from anonsql.errors import PolicyError, PrivacyError, SqlError, VerificationError
from anonsql.jobs import relational_sources as sources
from anonsql.jobs.job import Job
from anonsql.jobs.relational_sources import OpenTable
from anonsql.policy.columns import REPLACED
from anonsql.policy.parts import parts_beside
from anonsql.policy.policy import Policy
from anonsql.policy.relational import PUBLIC, RelationalPolicy
from anonsql.relational import coding
from anonsql.relational import search as searching
from anonsql.relational.judge import Judge
from anonsql.relational.search import Node
from anonsql.relational.tables import Coded, Knowledge, PersonalTable
from anonsql.release import staging
from anonsql.release.recoding import ByLevels, Recoding, Suppression
from anonsql.risks import shared_values
from anonsql.star.lattice import Levels
from anonsql.star.models import Promise
from anonsql.system.journal import log
from anonsql.verification import relational as verification
from anonsql.verification.relational import Known, Staged
from anonsql.version import __version__


@dataclass(frozen=True)
class Decided:
    """The node that is released, among the tables in whole numbers; how many nodes were judged."""

    opened: Mapping[str, OpenTable]
    coded: Coded
    node: Node
    lattice: int
    judged: int

    def removed(self, table: PersonalTable) -> tuple[int, int]:
        """Return how many rows of a table are suppressed by themselves, and go with others."""
        outcome, number = self.node.outcome, table.number
        alone = outcome.suppressed[number]
        return alone, self.coded.rows[number] - outcome.left[number] - alone


@contextmanager
def timed(job: Job, stage: str) -> Iterator[None]:
    """Time a stage of a job, and count its statements."""
    job.progress(stage, 0, 0)
    started, before = time.perf_counter(), job.context.journal.count()
    try:
        yield
    except SqlError:
        # a source that changed meanwhile is the likelier cause, and needs another remedy
        job.engine.require_unchanged()
        raise
    job.seconds[stage] = round(time.perf_counter() - started, 4)
    job.statements[stage] = job.context.journal.count() - before
    log.info("%s: %.3f s", stage, job.seconds[stage])


def open_and_check(job: Job, policy: RelationalPolicy) -> dict[str, OpenTable]:
    """Open all tables, hold them against the policy, and make the hierarchies; raise PolicyError
    with all problems."""
    return check(job, policy, open_tables(job, policy))


def open_tables(job: Job, policy: RelationalPolicy) -> dict[str, OpenTable]:
    """Open all tables; raise PolicyError where they have other columns or keys than the policy."""
    with timed(job, "open_tables"):
        return sources.open_tables(job, policy)


def check(
    job: Job, policy: RelationalPolicy, opened: Mapping[str, OpenTable]
) -> dict[str, OpenTable]:
    """Hold the rows of open tables against the policy, and make the hierarchies; raise PolicyError
    with all problems."""
    with timed(job, "check_keys"):
        sources.check_keys(job, policy, dict(opened))
    with timed(job, "build_hierarchies"):
        built = sources.make_hierarchies(job, policy, dict(opened))
        return sources.make_values(job, policy, built)


def lay_out(job: Job, policy: RelationalPolicy, opened: Mapping[str, OpenTable]) -> Judge:
    """Turn the tables into whole numbers, and carry these to where the search works; return the
    judge of generalizations."""
    engine = job.engine
    with timed(job, "code_rows"):
        tables = sources.number_tables(policy, dict(opened))
        for table in tables:
            coding.number_rows(engine, table)
        coded = coding.code(engine, tables)
        if problems := sources.too_few_people(policy, coded.rows[1]):
            raise PrivacyError("\n".join(map(str, problems)))
        known = policy.privacy.known_rows
        work = coding.combinations(engine, coded, 1 if known == "all" else known)
        job.workbench.open_for(sum(coded.rows.values()))
        coding.carry(job.workbench, coded)
    knowledge = Knowledge(policy.privacy.k, None if known == "all" else known)
    most = {each.number: policy.most(each.name, coded.rows[each.number]) for each in tables}
    guarded = sources.guarded(policy, dict(opened))
    return Judge(job.workbench.engine, coded, knowledge, most, work, guarded)


def decide(job: Job, policy: RelationalPolicy, opened: Mapping[str, OpenTable]) -> Decided:
    """Find the levels to release, and which rows are suppressed; leave the keys of released rows
    with their surrogates in ``map_<number>``, beside the rows. Raise PrivacyError where nothing
    keeps the promise."""
    judge = lay_out(job, policy, opened)
    lattice = searching.lattice_of(judge.coded)
    with timed(job, "search"):
        node = _named(policy, judge) if policy.levels else searching.best(judge, job.progress)
        if node is None:
            raise _nothing_satisfies(policy, judge)
    with timed(job, "choose"):
        for table in judge.coded.tables:
            name = f"surrogates_{table.number}"
            judge.engine.run(
                "star/models/table",
                name=name,
                select="relational/search/surrogates",
                table=table,
                missing=node.outcome.missing[table.number],
            )
            job.workbench.give_back(name)
        job.workbench.close()
        for table in judge.coded.tables:
            names = {"keyed": f"keyed_{table.number}", "surrogates": f"surrogates_{table.number}"}
            select = {"name": f"map_{table.number}", "select": "relational/map"}
            job.engine.run("star/models/table", **select, **names)
    return Decided(opened, judge.coded, node, lattice.size, judge.judged)


def _named(policy: RelationalPolicy, judge: Judge) -> Node | None:
    """Return the node of ``method.levels``; None where it does not keep the promise."""
    return searching.node_of(judge, _levels_named(policy, judge))


def _levels_named(policy: RelationalPolicy, judge: Judge) -> Levels:
    """Return the levels of ``method.levels``; the coarsest ones where it names none."""
    lattice = searching.lattice_of(judge.coded)
    levels = policy.levels
    if not levels:
        return dict(zip(lattice.attributes, lattice.top, strict=True))
    return {
        each.index: levels[f"{table.name}.{each.name}"]
        for table in judge.coded.tables
        for each in table.attributes
    }


def _nothing_satisfies(policy: RelationalPolicy, judge: Judge) -> PrivacyError:
    """Return the error that no generalization keeps the promise, with the cheapest remedy."""
    what = "no generalization keeps it" if not policy.levels else "method.levels does not keep it"
    known = policy.privacy.known_rows
    rows = f"{known} known row{'' if known == 1 else 's'}"
    found = f"privacy: {what} within suppression_limit: k={policy.privacy.k} people for {rows}. "
    return PrivacyError(found + remedy(policy, judge))


def remedy(policy: RelationalPolicy, judge: Judge) -> str:
    """Return what would help where nothing keeps the promise: how many rows the coarsest
    generalization, or the one that ``method.levels`` names, would have to suppress, and which
    models that is for."""
    of, people = policy.privacy.of, judge.coded.rows[1]
    which = "method.levels" if policy.levels else "The coarsest one"
    coarser = ", choose coarser levels, or leave method.levels out" if policy.levels else ""
    gone = _suppressed(policy, judge)
    by_numbers = _suppressed(policy, replace(judge, guarded=()))[1] if judge.guarded else gone[1]
    if by_numbers < gone[1] and (asked := _too_much(policy, judge, by_numbers)):
        more = "" if min(asked.values()) == people else f", or raise suppression_limit.{of}"
        return (
            f"{which} suppresses {by_numbers:,} of {people:,} {of} for k alone, and"
            f" {', '.join(f'{n:,} with {name}' for name, n in asked.items())}: relax"
            f" {' or '.join(asked)}{more}{coarser}."
        )
    if gone[1] == people:
        instead = f"{coarser[2:]}, or " if coarser else ""
        return f"{which} leaves nobody: {instead}lower k or known_rows."
    told, raised = [], []
    for table in judge.coded.tables:
        rows, count = judge.coded.rows[table.number], gone[table.number]
        if count > judge.most[table.number]:
            told.append(f"{count:,} of {rows:,} {table.name}")
            share = -(-count * 1000 // rows) / 1000
            raised.append(f"suppression_limit.{table.name} to {share} or more")
    return (
        f"{which} suppresses {' and '.join(told)}: raise {' and '.join(raised)}, lower known_rows"
        f" or k, or set max_rows{coarser}: that somebody has many rows is seen whatever their"
        " values are."
    )


def _suppressed(policy: RelationalPolicy, judge: Judge) -> Mapping[int, int]:
    """Return how many rows of each table the levels named, or the coarsest ones, would have to
    suppress by themselves, where that many may be."""
    rows = judge.coded.rows
    most = {number: rows[number] if few or number == 1 else 0 for number, few in judge.most.items()}
    levels = _levels_named(policy, judge)
    return replace(judge, most=most, _done={}).outcome(levels).suppressed


def _too_much(policy: RelationalPolicy, judge: Judge, by_numbers: int) -> dict[str, int]:
    """Return the models, by their places in ``privacy``, each with the people that would have to be
    suppressed for it and k, where these are more than for k alone."""
    found, names = {}, {each.number: each.name for each in judge.coded.tables}
    for each in judge.guarded:
        table = next(table for table in judge.coded.tables if table.number == each.table)
        column = next(c.name for c in table.sensitive if c.index == each.index)
        for term in each.promise.models:
            alone = replace(each, promise=replace(each.promise, models=(term,)))
            gone = _suppressed(policy, replace(judge, guarded=(alone,)))[1]
            if gone > by_numbers:
                found[f"{term.criterion.model}.{names[each.table]}.{column}"] = gone
    return found


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
        return ReleaseTables.of(release.engine, found, release.strangers)


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
    names = [each.name for each in tables.engine.columns(tables.rows)]
    known = {name: PUBLIC for name in names if name not in view.columns}
    return view.model_copy(update={"columns": {**view.columns, **known}})


def described(
    policy: RelationalPolicy, decided: Decided, table: OpenTable
) -> list[tuple[str, str, int | None, str]]:
    """Return of each column of the source its role, its level where it has one, and what it is
    released as."""
    settings = policy.tables[table.name]
    by_name = {each.name: each for each in table.attributes}
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
            about = _about(job, policy, decided, numbered.get(name), name)
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
        ordering=staging.free_name([each.name for each in table.released]),
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
    return {each.position: linked[each.name] for each in table.released if each.name in linked}


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
    """Return the facts about a table that may be published."""
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
        others = [policy.released_name(each) for each in policy.released if each != of]
        facts |= policy.model_facts
        facts |= {"loss": format(decided.node.loss, ".12g"), OTHER_TABLES: json.dumps(others)}
    return {**facts, "release": job.release_id, "anonsql": __version__}


def prove(
    job: Job, policy: RelationalPolicy, decided: Decided, targets: Mapping[str, TableTarget]
) -> Known:
    """Prove the staged tables, by themselves and against the source."""
    with timed(job, "verify"):
        staged, found = job.target.build()
        views = {name: each.view for name, each in decided.opened.items()}
        tables = {name: place.of(staged) for name, place in targets.items()}
        try:
            known = verification.from_release_alone(tables, policy, views)
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
    staged: list[Staged] = []
    missing = dict.fromkeys(decided.opened, 0)
    for name, table in decided.opened.items():
        key = sources.key_of(policy, table)
        links = links_of(policy, table, numbered)
        personal = numbered.get(name)
        reference = personal.link.reference if personal is not None and personal.link else None
        given = (table.attributes, table.released, key, links, reference)
        staged.append(Staged(name, rows[name], table.relation, *given))
        if name in numbered:
            number = numbered[name].number
            missing[name] = sum(decided.removed(numbered[name])) + decided.coded.beyond[number]
    found = verification.against_source(engine, staged, decided.node.levels, missing)
    if not found and any(missing.values()):
        views = {name: each.view for name, each in decided.opened.items()}
        capped = {name: decided.coded.beyond[each.number] for name, each in numbered.items()}
        found += verification.models_by_source(engine, policy, views, staged, capped)
    return found


def publish(job: Job, policy: RelationalPolicy, decided: Decided) -> None:
    """Put all staged tables in the place of the previous release, as the last thing that can
    fail."""
    with timed(job, "publish"):
        levels: Sequence[tuple[str, int | None, str]] = [
            (f"{table.name}.{each.name}", decided.node.levels[each.index], "")
            for table in decided.coded.tables
            for each in table.attributes
        ]
        job.context.journal.clock.stop()
        job.catalog.record_release(
            job.run, str(job.places.release), policy.whole.release.name, levels
        )
        job.target.publish()
