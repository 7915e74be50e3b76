"""Decide the levels of the columns of all tables, by a search or by a published scheme that is applied
to new rows, and which rows are suppressed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from anonsql.engines import open_release
from anonsql.errors import PolicyError, PrivacyError
from anonsql.jobs import scheme
from anonsql.jobs.job import Job
from anonsql.jobs.relational.columns import guarded, number_tables
from anonsql.jobs.relational.state import Decided, tables_of
from anonsql.jobs.relational.tables import at_table, require_sound, too_few_people
from anonsql.jobs.scheme import Scheme
from anonsql.jobs.sources import scheme_of
from anonsql.policy.relational import RelationalPolicy
from anonsql.privacy import suppression_limit
from anonsql.relational import coding
from anonsql.relational import search as searching
from anonsql.relational.judge import Judge
from anonsql.relational.search import Node
from anonsql.relational.tables import Knowledge
from anonsql.star.lattice import Levels

_Value = TypeVar("_Value")


def of_job(job: Job, named: str) -> Scheme:
    """Return the scheme of a run of the catalog, by its number, or of a release, whose columns are
    called `table.column`. Raise PolicyError where it lacks a table."""
    if not (named.isascii() and named.isdigit()):
        return _of_release(job, named)
    published = scheme.report_of(job.catalog, int(named))
    if "tables" not in published:
        raise _other_tables(named)
    leveled = {
        f"{table['table']}.{column['column']}": column
        for table in published["tables"]
        for column in table["columns"]
        if column["level"] is not None
    }
    return Scheme(
        {name: column["level"] for name, column in leveled.items()},
        {name: column["looks_like"] for name, column in leveled.items()},
    )


def _of_release(job: Job, named: str) -> Scheme:
    levels, looks_like = dict[str, int](), dict[str, str]()
    with open_release(job.engine, job.places, job.policy, named, job.context) as release:
        for name, target in tables_of(job).targets.items():
            if not target.is_in(release):
                raise _other_tables(named)
            for column, level, looks in scheme.levels_in(target.of(release)):
                levels[f"{name}.{column}"], looks_like[f"{name}.{column}"] = level, looks
    return Scheme(levels, looks_like)


def _other_tables(named: str) -> PolicyError:
    text = f"{named} does not have all tables of the policy."
    return PolicyError.at("--scheme", text, "Name a release of the same policy.")


def fit_scheme(job: Job) -> None:
    """Raise PolicyError where the scheme does not fit the tables' columns and hierarchies."""
    published = scheme_of(job)
    for name, table in tables_of(job).opened.items():
        of_table = Scheme(_within(published.levels, name), _within(published.looks_like, name))
        problems = scheme.problems(of_table, table.attributes, table.plan)
        job.problems += [at_table(table.where, problem) for problem in problems]
    require_sound(job)


def _within(of_columns: Mapping[str, _Value], table: str) -> dict[str, _Value]:
    begin = f"{table}."
    return {
        name.removeprefix(begin): value
        for name, value in of_columns.items()
        if name.startswith(begin) and "." not in name.removeprefix(begin)
    }


def code_rows(job: Job) -> None:
    """Turn the tables into whole numbers, and carry these to where the search works; leave the
    judge of generalizations. Raise PrivacyError where there are fewer people than k."""
    tables, engine = tables_of(job), job.engine
    policy = tables.policy
    numbered = number_tables(tables)
    for table in numbered:
        coding.number_rows(engine, table)
    coded = coding.code(engine, numbered)
    if problems := too_few_people(policy, coded.rows[1]):
        raise PrivacyError("\n".join(map(str, problems)))
    known = policy.privacy.known_rows
    work = coding.combinations(engine, coded, 1 if known == "all" else known)
    job.workbench.open_for(sum(coded.rows.values()))
    coding.carry(job.workbench, coded)
    knowledge = Knowledge(policy.privacy.k, None if known == "all" else known)
    most = {table.number: policy.most(table.name, coded.rows[table.number]) for table in numbered}
    tables.judge = Judge(job.workbench.engine, coded, knowledge, most, work, guarded(tables))


def search(job: Job) -> None:
    """Find levels and suppressed rows; raise PrivacyError where none keep the promise."""
    tables = tables_of(job)
    if job.scheme is not None:
        tables.policy = tables.policy.at_levels(job.scheme.levels)
    policy, judge = tables.policy, tables.judge
    lattice = searching.lattice_of(judge.coded)
    node = _named(policy, judge) if policy.levels else searching.best(judge, job.progress)
    if node is None:
        raise _nothing_satisfies(policy, judge)
    tables.decided = Decided(judge.coded, node, lattice.size, judge.judged)


def choose(job: Job) -> None:
    """Leave the keys of released rows with their surrogates in ``map_<number>``."""
    tables = tables_of(job)
    judge, missing = tables.judge, tables.decided.node.outcome.missing
    for table in judge.coded.tables:
        name = f"surrogates_{table.number}"
        judge.engine.run(
            "sql/table",
            name=name,
            select="relational/search/surrogates",
            table=table,
            missing=missing[table.number].table,
            node=missing[table.number].node,
        )
        job.workbench.give_back(name)
    job.workbench.close()
    for table in judge.coded.tables:
        names = {"keyed": f"keyed_{table.number}", "surrogates": f"surrogates_{table.number}"}
        select = {"name": f"map_{table.number}", "select": "relational/map"}
        job.engine.run("sql/table", **select, **names)


def _named(policy: RelationalPolicy, judge: Judge) -> Node | None:
    return searching.node_of(judge, _levels_named(policy, judge))


def _levels_named(policy: RelationalPolicy, judge: Judge) -> Levels:
    lattice = searching.lattice_of(judge.coded)
    levels = policy.levels
    if not levels:
        return dict(zip(lattice.attributes, lattice.top, strict=True))
    return {
        attribute.index: levels[f"{table.name}.{attribute.name}"]
        for table in judge.coded.tables
        for attribute in table.attributes
    }


def _nothing_satisfies(policy: RelationalPolicy, judge: Judge) -> PrivacyError:
    what = (
        "no generalization keeps the promise"
        if not policy.levels
        else "method.levels does not keep it"
    )
    known = policy.privacy.known_rows
    rows = f"{known} known row{'' if known == 1 else 's'}"
    text = f"privacy: {what} within suppression_limit: k={policy.privacy.k} people for {rows}. "
    return PrivacyError(text + remedy(policy, judge))


def remedy(policy: RelationalPolicy, judge: Judge) -> str:
    """Return what would help: how many rows the coarsest generalization, or that of
    ``method.levels``, would have to suppress, and which models that is for."""
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
        return f"{which} leaves no person: {instead}lower k or known_rows."
    names, helps = [], []
    for table in judge.coded.tables:
        rows, count = judge.coded.rows[table.number], gone[table.number]
        if count > judge.most[table.number]:
            names.append(f"{count:,} of {rows:,} {table.name}")
            helps.append(_limit_for(table.name, count, rows))
    return (
        f"{which} suppresses {' and '.join(names)}: {' and '.join(helps)}, lower known_rows or k,"
        f" or set max_rows{coarser}. A large number of rows of a person remains visible at all"
        " levels."
    )


def _limit_for(table: str, count: int, rows: int) -> str:
    if count == rows:
        return f"leave {table} out of suppression_limit, so that people are suppressed whole"
    enough = suppression_limit.least_limit(count, rows, 3) or suppression_limit.least_limit(
        count, rows, len(str(rows))
    )
    return f"raise suppression_limit.{table} to {enough:f} or more"


def _suppressed(policy: RelationalPolicy, judge: Judge) -> Mapping[int, int]:
    rows = judge.coded.rows
    most = {number: rows[number] if few or number == 1 else 0 for number, few in judge.most.items()}
    levels = _levels_named(policy, judge)
    return replace(judge, most=most, _done={}).outcome(levels).suppressed


def _too_much(policy: RelationalPolicy, judge: Judge, by_numbers: int) -> dict[str, int]:
    """Return the models, by their places in ``privacy``, each with the people that would have to be
    suppressed for it and k, where these are more than for k alone."""
    models, names = {}, {table.number: table.name for table in judge.coded.tables}
    for promise in judge.guarded:
        table = next(table for table in judge.coded.tables if table.number == promise.table)
        column = next(c.name for c in table.sensitive if c.index == promise.index)
        for term in promise.promise.models:
            alone = replace(promise, promise=replace(promise.promise, models=(term,)))
            gone = _suppressed(policy, replace(judge, guarded=(alone,)))[1]
            if gone > by_numbers:
                models[f"{term.criterion.model}.{names[promise.table]}.{column}"] = gone
    return models
