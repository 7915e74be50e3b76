"""Published cells, put beside those that were counted anew."""

from __future__ import annotations

from anonsql.engines.base import Column, Engine, Relation
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.verification.statistics.columns import has_room
from anonsql.verification.statistics.compared import Compared


def show(
    compared: Compared,
    policy: StatisticsPolicy,
    name: str,
    relation: Relation,
    table: str,
    *,
    reader: Engine,
) -> None:
    """Make the cells of a published table by the names of their groups, where the source is."""
    engine = compared.engine
    reader.run(
        "verification/statistics/shown",
        table=relation,
        attributes=[a for a in compared.attributes if a.name in policy.tables[name].by],
        all_attributes=compared.attributes,
        measures=compared.measures,
        roomy=[column.name for column in reader.columns(relation) if has_room(reader, column)],
        status=policy.protect.status,
        waived=compared.waived[name],
        name=table,
    )
    if reader is engine:
        return
    keys = [
        column
        for a in compared.attributes
        for column in (Column(f"l{a.index}", "BIGINT"), Column(f"k{a.index}", "VARCHAR"))
    ]
    positions = range(1, len(compared.measures) + 1)
    columns = keys + [Column(f"{name}{at}", "BIGINT") for at in positions for name in "bwh"]
    if engine.takes == "rows":
        names = [column.name for column in columns]
        rows = reader.query("verification/facts", table=(table,), columns=names)
        engine.load(table, [(column.name, column.type) for column in columns], rows)
    else:
        file = engine.context.workspace / table
        engine.receive(table, reader.carry(table, columns, file, engine.takes))
    reader.drop(table)


def leave_out(compared: Compared, pair: tuple[str, str]) -> None:
    """Leave out what was counted anew of cells that are not published."""
    engine, matched = compared.engine, f"{pair[0]}_matched"
    engine.run(
        "verification/statistics/matched",
        recounted=pair[0],
        shown=pair[1],
        attributes=compared.attributes,
        name=matched,
    )
    engine.drop(pair[0])
    engine.run("verification/statistics/together", portions=[matched], name=pair[0])
    engine.drop(matched)
