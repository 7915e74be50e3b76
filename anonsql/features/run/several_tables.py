"""The report of a job over several tables, as the document that commands return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from anonsql.features.run.document import (
    RelationalReport,
    RelationalTable,
)
from anonsql.jobs.job import Job
from anonsql.jobs.relational import publishing
from anonsql.jobs.relational.state import Tables, tables_of
from anonsql.presentation.documents import ReleasedAs, of_run
from anonsql.relational.tables import PersonalTable
from anonsql.star.lattice import Levels
from anonsql.system.numbers import rounded


def report(job: Job, status: Literal["published", "tried"] = "published") -> RelationalReport:
    """Return the report of a run, or of a policy that was tried and published nothing."""
    tables = tables_of(job)
    policy, decided, known = tables.policy, tables.decided, tables.known
    return RelationalReport(
        status=status,
        method=policy.method.type,
        k=policy.privacy.k,
        of=policy.privacy.of,
        known_rows=policy.privacy.known_rows,
        people=decided.coded.rows[1],
        released_people=known.people,
        fewest_people=known.fewest,
        known_things=known.things,
        promises=policy.model_facts,
        tables=[_table(tables, name) for name in policy.released],
        levels=levels_by_column(decided.coded.tables, decided.node.levels),
        loss=rounded(decided.node.loss),
        lattice=decided.lattice,
        judged=decided.judged,
        not_covered=dict(known.not_covered),
        release_id=job.release_id,
        **of_run(job),
    )


def _table(tables: Tables, name: str) -> RelationalTable:
    policy, decided = tables.policy, tables.decided
    settings, numbered = policy.tables[name], decided.numbered
    alone, with_others, beyond = 0, 0, 0
    rows = tables.known.rows[name]
    if name in numbered:
        alone, with_others = decided.removed(numbered[name])
        beyond = decided.coded.beyond[numbered[name].number]
    people = name == policy.privacy.of
    return RelationalTable(
        table=name,
        kind="public" if settings.public else "people" if people else "rows",
        refers_to=None if settings.public or people else policy.to_people(name)[1],
        rows=rows + alone + with_others + beyond,
        released=rows,
        suppressed=alone,
        with_others=with_others,
        beyond_max_rows=beyond,
        columns=[
            ReleasedAs(
                column=column, role=role or "", level=level, form=form, looks_like=text or ""
            )
            for column, role, level, form, text in publishing.described(tables, tables.opened[name])
        ],
    )


def levels_by_column(tables: Sequence[PersonalTable], levels: Levels) -> dict[str, int]:
    """Return levels by ``table.column``."""
    return {
        f"{table.name}.{attribute.name}": levels[attribute.index]
        for table in tables
        for attribute in table.attributes
    }
