"""Judge a release whose method changes values against its source: that it is the source with no
more entries changed than the policy allows, by the release, the source and the policy alone.

Nothing that the run recorded is used. Rows carry no key, so which released row was which row of the
source is not known; it need not be: if any assignment shows that few enough entries changed, that
is true of the table as a whole. Sensitive and insensitive values never change, so rows are assigned
among equal ones (:mod:`anonsql.verification.attack.changes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anonsql.engines import column_types
from anonsql.engines.base import Column, Engine, Relation, ReleaseTables
from anonsql.errors import InvariantError, VerificationError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.policy import Policy
from anonsql.verification.attack import group_sizes
from anonsql.verification.attack.changes import Changes, Correspondence, Nodes, fewest_changes
from anonsql.verification.attack.group_sizes import JudgedGroupSizes
from anonsql.verification.attack.matching import cover_released
from anonsql.verification.attack.released import Released
from anonsql.verification.facts import count_of, facts_of, missing_rows


@dataclass(frozen=True)
class JudgedRelocation:
    """What was found: how many rows the source (``originals``) and the release have and how many of
    the latter are masked, what changed, how many entries may change, and the statistic of group
    sizes with its ``critical`` value, None where the policy has no alpha."""

    originals: int
    released: int
    masked: int
    changes: Changes
    max_cells: int
    chi_squared: float | None = None
    critical: float | None = None


@dataclass(frozen=True)
class _Kept:
    """A column that is released as it is: its number, and the types that it is cast to for
    comparing on either side, None for its own."""

    number: int
    original: Column
    original_cast: str | None
    released_cast: str | None
    hidden: bool


def against_source(
    engine: Engine,
    release: ReleaseTables,
    policy: Policy,
    source: Relation,
    attributes: Sequence[Attribute],
) -> JudgedRelocation:
    """Judge a release with changed values that is right by itself, see
    :func:`anonsql.verification.release_only.from_release_alone`, against the source that ``engine``
    has, whose dimension tables dim_<index> are made for ``attributes``. Raise VerificationError
    listing every offence."""
    promised = policy.method.promised(policy.privacy)
    if "p" not in promised:
        raise InvariantError("the method changes no values")
    kept, offences = _kept(policy, engine, release, source)
    if offences:
        raise VerificationError(offences)
    released = replace(
        Released.of(
            release, policy, [(attribute.index, attribute.name) for attribute in attributes]
        ),
        sensitive=(),
    )
    judging = _ScratchTables(engine, release, released, attributes)
    try:
        offences += judging.make(source, kept)
        nodes = judging.nodes(0), judging.nodes(1)
        about, (masked, lacking) = facts_of(release), judging.lacking()
        originals, rows = nodes[0].total, nodes[1].total
        if not rows:
            offences.append("no row of the source is in the release")
        if (accounted := rows + masked + missing_rows(about)) != originals:
            offences.append(
                f"the source has {originals:,} rows, the release accounts for {accounted:,}"
            )
        offences += lacking
        if offences:
            raise VerificationError(offences)
        correspondences = judging.correspondences()
    finally:
        judging.drop()
    judged_relocation = JudgedRelocation(
        originals,
        rows,
        masked,
        fewest_changes(*nodes, correspondences),
        policy.method.max_changed(originals, len(attributes)) or 0,
    )
    offences = _cell_offences(judged_relocation, promised["p"], about)
    if alpha := promised.get("alpha"):
        apart = all(attribute.index in released.levels for attribute in attributes)
        sizes = group_sizes.compare(*nodes, correspondences, originals - rows, apart=apart)
        judged_relocation = replace(
            judged_relocation, chi_squared=sizes.statistic, critical=sizes.critical(float(alpha))
        )
        offences += _size_offences(judged_relocation, sizes, alpha)
    if offences:
        raise VerificationError(offences)
    return judged_relocation


def with_kept_values(
    engine: Engine,
    release: ReleaseTables,
    policy: Policy,
    source: Relation,
    attributes: Sequence[Attribute],
) -> tuple[bool | None, list[str]]:
    """Return whether the released rows can be rows of the source when each keeps its sensitive and
    insensitive values (None: too large to compute), and the offences where they cannot. The judge
    of who may be whom does not look at these values."""
    travels = release.engine is not engine
    kept = [
        column
        for column in _kept(policy, engine, release, source)[0]
        if not travels or column.original.kind not in ("float", "timestamp", "other")
    ]
    released = replace(
        Released.of(
            release, policy, [(attribute.index, attribute.name) for attribute in attributes]
        ),
        sensitive=(),
    )
    judging = _ScratchTables(engine, release, released, attributes)
    try:
        judging.make(
            source, [replace(column, number=position) for position, column in enumerate(kept, 1)]
        )
        _, lacking = judging.lacking()
        if lacking:
            return False, lacking
        changes = fewest_changes(judging.nodes(0), judging.nodes(1), judging.correspondences())
    finally:
        judging.drop()
    if not changes.cells:
        return True, []
    if not changes.least:
        return None, []
    text = (
        f"{changes.rows:,} released rows can, with their sensitive and insensitive values, be no"
        f" row"
        " of the source"
    )
    return False, [f"{text} that is not another's already"]


def _cell_offences(
    judged_relocation: JudgedRelocation, p: str, about: Mapping[str, str]
) -> list[str]:
    """Return the offences where more entries changed than may, or than the release states."""
    cells, most = (
        f"{judged_relocation.changes.cells:,} quasi-identifying cells",
        f"{judged_relocation.max_cells:,}, which p={p} allows",
    )
    if (
        judged_relocation.changes.cells > judged_relocation.max_cells
        and judged_relocation.changes.least
    ):
        return [f"{cells} at least do not stand for what the source has, more than {most}"]
    if judged_relocation.changes.cells > judged_relocation.max_cells:
        text = f"it could not be shown that the cells that changed are no more than {most}"
        return [
            f"{text}: that is too much to be judged exactly, and the best that was found are"
            f" {judged_relocation.changes.cells:,}"
        ]
    if judged_relocation.changes.least and judged_relocation.changes.cells > count_of(
        about, "relocated_cells"
    ):
        return [
            f"{cells} at least do not stand for what the source has, __about says"
            f" relocated_cells={about.get('relocated_cells')}"
        ]
    return []


def _size_offences(
    judged_relocation: JudgedRelocation, sizes: JudgedGroupSizes, alpha: str
) -> list[str]:
    """Return the offences where the test tells the sizes of groups from those before."""
    if sizes.ambiguous:
        return [
            f"{sizes.ambiguous:,} rows of the source fall into several groups: what their sizes"
            " were cannot be told"
        ]
    if judged_relocation.chi_squared is None or judged_relocation.critical is None:
        raise InvariantError("no chi-squared test was made")
    if judged_relocation.chi_squared <= judged_relocation.critical:
        return []
    most = f"at most {judged_relocation.critical:,.4g}"
    statistic = f"chi-squared {judged_relocation.chi_squared:,.4g}, {most}"
    return [
        f"the sizes of {sizes.groups:,} groups are not what they were, by a test at the level"
        f" alpha={alpha} ({statistic})"
    ]


def _kept(
    policy: Policy, engine: Engine, release: ReleaseTables, source: Relation
) -> tuple[list[_Kept], list[str]]:
    """Return the columns that are released as they are, and those that cannot be compared with the
    source's."""
    released = {column.name: column for column in release.engine.columns(release.rows)}
    columns: list[_Kept] = []
    offences: list[str] = []
    for original in engine.columns(source):
        column = policy.columns.get(original.name)
        if column is None or not column.comparable:
            continue
        casts = casts_of(original, released[original.name], travels=release.engine is not engine)
        if casts is None:
            what = (
                f"{released[original.name].family} in the release, {original.family} in the source"
            )
            offences.append(f"the values of {original.name!r} cannot be compared: {what}")
        else:
            columns.append(
                _Kept(len(columns) + 1, original, *casts, hidden=column.suppressed == "mask")
            )
    return columns, offences


def casts_of(
    original: Column, released: Column, *, travels: bool
) -> tuple[str | None, str | None] | None:
    """Return the types as which a column's values are compared, the source's and the release's;
    None when they cannot be. Released values that have to travel to where the source is do so as
    text."""
    if travels and released.type == "VARCHAR":
        return (None if original.type == "VARCHAR" else "VARCHAR"), None
    if travels:
        return (
            (None, original.type)
            if released.kind == original.kind and released.type != "BLOB"
            else None
        )
    if original.type == released.type:
        return (None, None) if original.exact else ("VARCHAR", "VARCHAR")
    if released.type in column_types.ways_of(original.type):
        return "VARCHAR", "VARCHAR"
    if released.type == original.released_type:
        return released.type, None
    return (None, original.type) if released.kind == original.kind else None


class _ScratchTables:
    """The scratch tables beside release and source. Only counts and meaningless numbers are read
    from them."""

    def __init__(
        self,
        engine: Engine,
        release: ReleaseTables,
        released: Released,
        attributes: Sequence[Attribute],
    ) -> None:
        self._engine, self._release, self._released, self._attributes = (
            engine,
            release,
            released,
            attributes,
        )
        self._made: list[tuple[Engine, str]] = []

    def make(self, source: Relation, kept: Sequence[_Kept]) -> list[str]:
        """Make the scratch tables of both sides' rows; return the offences of released values that
        stand for nothing in the source."""
        engine, reader, masks = self._engine, self._release.engine, self._released.masks
        travels = reader is not engine
        leaving = [
            (column.number, column.original.name, "VARCHAR" if travels else column.released_cast)
            for column in kept
        ]
        self._released.put_together(self._release, leaving)
        self._made.append((reader, "judged_rows"))
        if masks:
            labels = [name for _, name, _ in self._released.labels]
            self._run(
                reader,
                "masked_rows",
                "verification/attack/relocated/masked",
                table=self._release.rows,
                labels=labels,
                kept=leaving,
            )
        offences = self._cover()
        values = [f"y{column.number}" for column in kept]
        if travels:
            self._bring("judged_rows", self._released.values, values)
            if masks:
                self._bring("masked_rows", [], values)
        parameters: dict[str, Any] = {
            "originals": [
                (column.number, column.original.name, column.original_cast) for column in kept
            ],
            "released": [
                (column.number, f"y{column.number}", column.released_cast if travels else None)
                for column in kept
            ],
            "texts": [
                column.number
                for column in kept
                if "VARCHAR" in (column.original.type, column.original_cast)
            ],
            "seen": [column.number for column in kept if not (masks and column.hidden)],
        }
        self._run(
            engine,
            "relocated_rows",
            "verification/attack/relocated/rows",
            source=source,
            attributes=self._attributes,
            masks=masks,
            **parameters,
        )
        return offences

    def _cover(self) -> list[str]:
        """Make the tables that say which values of the source each released value stands for;
        return the offences of those that stand for none."""
        offences = []
        for attribute in self._attributes:
            unread, values = cover_released(
                self._engine, self._release.engine, self._released, attribute
            )
            self._made.append((self._engine, f"covers_{attribute.index}"))
            if unread:
                offences.append(
                    f"{unread:,} of {values:,} distinct values of {attribute.name!r} stand for no"
                    " value"
                    " of the source"
                )
            self._run(
                self._engine,
                f"classes_{attribute.index}",
                "verification/attack/relocated/classes",
                a=attribute,
                level=self._level(attribute),
            )
        return offences

    def nodes(self, side: int) -> Nodes:
        """Return the rows of the source (0) or the release (1)."""
        columns = self._engine.numbers(
            "verification/attack/relocated/nodes", side=side, attributes=self._attributes
        )
        return Nodes.of(columns, len(self._attributes))

    def lacking(self) -> tuple[int, list[str]]:
        """Return how many rows are masked, and the offence of rows whose kept values the source
        does not have, or not so often."""
        query = "verification/attack/relocated/lacking"
        released, counted_in, masked = self._engine.query(query)[0]
        what = (
            "have sensitive and insensitive values together that no row of the source has, or not"
            " so many rows"
        )
        if released:
            return masked, [f"{released:,} released rows {what}"]
        text = f"{counted_in:,} rows, masked ones counted in, {what}"
        return masked, [text] * (counted_in > 0)

    def correspondences(self) -> list[Correspondence]:
        """Return which released values stand for which classes of the source's, by attribute."""
        result = []
        for attribute in self._attributes:
            classes, labels = self._engine.numbers(
                "verification/attack/relocated/stands", a=attribute
            )
            result.append(Correspondence(classes, labels))
        return result

    def drop(self) -> None:
        """Drop all scratch tables."""
        for engine, table in self._made:
            engine.drop(table)
        self._made.clear()

    def _level(self, attribute: Attribute) -> int | None:
        level = self._released.levels.get(attribute.index)
        return level if level is not None and 0 <= level <= attribute.height else None

    def _run(self, engine: Engine, made: str, template: str, /, **parameters: Any) -> None:
        engine.run(template, **parameters)
        self._made.append((engine, made))

    def _bring(self, table: str, numbers: Sequence[str], texts: Sequence[str]) -> None:
        """Bring released rows, published as they are, to where the source is."""
        rows = self._release.engine.query(
            "verification/facts", table=table, columns=[*numbers, *texts, "n"]
        )
        columns = [
            *((name, "BIGINT") for name in numbers),
            *((name, "VARCHAR") for name in texts),
            ("n", "BIGINT"),
        ]
        if not rows:
            raise VerificationError(["no row of the source is in the release"])
        self._engine.load(table, columns, rows)
        self._made.append((self._engine, table))
