"""What several releases of one table leave together: the sets of rows of the source that nobody can
tell apart who has all of the releases.

The attacker knows everybody's quasi-identifying values, has every release, knows when his target's
row was in the source, and can tell which released rows of two releases are the same row's. So he
knows the target's **trace**: for each release the class that the row was released in, or that it
was absent. Rows of the source with the same trace are a set, and he is left with its rows; those
that no release has are in none. (Ganta, Kasiviswanathan, Smith: Composition attacks and auxiliary
information in data privacy, KDD 2008.)

No ledger says what the traces were. They are found by the source at hand:

- A row was released in the class whose labels stand for its values, and is absent where there is
  none. Where a row fits several classes nothing is known, and the release is refused.
- Where a class has fewer released rows than rows of the source fit it, some of these are absent:
  they came later, were held back, were suppressed. Which ones, kept values tell as far as they can
  (``verification/attack/composition/told``). Of rows that are open in one release alone the numbers
  are known. Rows of which nothing else can be said are *undetermined*, and count as rows that may
  be alone.
- It is assumed that the source has the rows of all releases, with the values that they had then. A
  row that was deleted since is not seen, and a set of such rows alone is missed; one that was
  changed is looked for where it is now. What of it shows, is counted (``unseen``).
- Masked rows count as absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from anonsql.engines.base import Column, Engine, OfColumn, Relation, ReleaseTables
from anonsql.errors import PolicyError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.labels.bench import bench_for
from anonsql.labels.hierarchies import hierarchy_of
from anonsql.labels.reading import unknown_labels
from anonsql.labels.readings import ask_released, asked
from anonsql.labels.shapes import Shape
from anonsql.policy.columns import KEPT
from anonsql.policy.policy import Policy
from anonsql.verification.attack.matching import Matching
from anonsql.verification.attack.released import Released
from anonsql.verification.attack.relocated import casts_of
from anonsql.verification.facts import count_of, facts_of
from anonsql.verification.label_coverage import widths


@dataclass(frozen=True)
class _Known(OfColumn):
    """A column of the source whose values are known, in the shape in which templates take
    attributes; ``index`` numbers the table of its codes."""

    index: int
    column: Column


@dataclass(frozen=True)
class _Kept:
    """A kept column by which rows of the source are compared with released ones: the type that it
    is cast to in the source, that of the released values where they are compared, and whether it is
    text then."""

    name: str
    original_cast: str | None
    released_cast: str | None
    text: bool


@dataclass(frozen=True)
class Read:
    """A release as it is to be read: its tables, what it is called in messages (``name``), the
    policy whose hierarchies its labels are of, and the attributes whose dimension tables have them.
    Of ``plain`` columns it has the values as they are. Releases of one ``scope`` have the same
    dimension tables."""

    name: str
    tables: ReleaseTables
    policy: Policy
    attributes: Sequence[Attribute]
    plain: frozenset[str] = frozenset()
    scope: int = 0


@dataclass(frozen=True)
class Placed:
    """The rows of the source in the classes of one release: ``classes``, rows of the smallest one,
    rows of the source that fit one, classes with fewer released rows than rows fit (``partial``),
    the rows that fit these and are not released (``left_out``), and released rows for which the
    source has none (``unseen``)."""

    name: str
    number: int
    columns: tuple[str, ...]
    known: tuple[int, ...]
    classes: int = 0
    least: int = 0
    fitting: int = 0
    partial: int = 0
    left_out: int = 0
    unseen: int = 0
    kept: tuple[_Kept, ...] = ()


@dataclass(frozen=True)
class Sets:
    """The sets that releases leave together: how many, the ``rows`` of the one that has fewest of
    the ``units`` that k counts (people, where the policy names them), how many of the sets and of
    the source's rows are below k, the rows that are in any release as far as that is known, and
    those that are ``undetermined``."""

    columns: tuple[str, ...]
    originals: int
    sets: int
    rows: int
    units: int
    small_sets: int
    small_rows: int
    released: int
    undetermined: int


@dataclass
class Composition:
    """The scratch tables of one comparison, beside the source that the ``engine`` has."""

    engine: Engine
    source: Relation
    _known: dict[tuple[int, str], _Known] = field(default_factory=dict)
    _made: list[tuple[Engine, str]] = field(default_factory=list)
    _placed: int = 0

    def place(self, read: Read, chosen: Sequence[str]) -> Placed:
        """Find the class in which each row of the source may be, by the ``chosen`` columns of a
        release. Raise PolicyError where that cannot be told."""
        self._placed += 1
        attributes = [attribute for attribute in read.attributes if attribute.name in chosen]
        _require_levels(read, attributes)
        release = _with_texts(read, attributes)
        released = _released(release, read, attributes)
        leveled = all(attribute.index in released.levels for attribute in attributes)
        matching = Matching(self.engine, release, released, attributes, every=not leveled)
        known = [(attribute.index, self._column(read, attribute)) for attribute in attributes]
        placed = Placed(
            read.name,
            self._placed,
            tuple(attribute.name for attribute in attributes),
            tuple(number for _, number in known),
        )
        if not _has_rows(release, released):
            columns = [number for _, number in known]
            self._run(
                self.engine,
                f"together_classes_{self._placed}",
                "verification/attack/composition/no_classes",
                number=self._placed,
                columns=columns,
            )
            return placed
        try:
            unread = matching.make(self.source)
            for column in attributes:
                if unread[column.name][0]:
                    self._require_known_labels(read, released, column)
            self._require_one_class(read, len(attributes))
            self._run(
                self.engine,
                f"together_classes_{self._placed}",
                "verification/attack/composition/classes",
                number=self._placed,
                steps=len(attributes),
                columns=known,
            )
            sizes = self.engine.query("verification/attack/composition/sizes", number=self._placed)[
                0
            ]
            classes, least, fitting, partial, left_out, unseen = map(int, sizes)
            placed = replace(
                placed,
                classes=classes,
                least=least,
                fitting=fitting,
                partial=partial,
                left_out=left_out,
                unseen=unseen,
            )
            if placed.partial:
                placed = replace(placed, kept=self._show(read, release, released))
        finally:
            matching.drop()
            release.engine.drop("judged_rows")
            release.engine.drop("together_released")
        return placed

    def sets(self, placed: Sequence[Placed], k: int, entity: Column | None) -> Sets:
        """Return the sets that some releases leave together, placed by the same columns. With
        ``entity`` k counts its values, not rows."""
        try:
            return self._sets(placed, k, entity)
        finally:
            for table in ("groups", "parts", *(f"rows_{step}" for step in range(len(placed) + 1))):
                self.engine.drop(f"together_{table}")

    def drop(self) -> None:
        """Drop all scratch tables."""
        for engine, table in self._made:
            engine.drop(table)
        self._made.clear()

    def _sets(self, placed: Sequence[Placed], k: int, entity: Column | None) -> Sets:
        partial = [
            (position, part) for position, part in enumerate(placed, start=1) if part.partial
        ]
        columns = sorted(
            {(one.name, one.original_cast) for _, part in partial for one in part.kept}, key=str
        )
        numbers = {column: number for number, column in enumerate(columns, start=1)}
        places = list(range(1, len(placed) + 1))
        used = {number for part in placed for number in part.known}
        self.engine.run(
            "verification/attack/composition/rows",
            source=self.source,
            columns=[known for known in self._known.values() if known.index in used],
            releases=[
                (position, part.number, part.known) for position, part in enumerate(placed, start=1)
            ],
            places=places,
            kept=[(number, *column) for column, number in numbers.items()],
            entity=None if entity is None else _Known(0, entity),
        )
        step, result = 0, list[int]()
        for position, part in partial:
            own = {
                numbers[one.name, one.original_cast]: (number, one.released_cast, one.text)
                for number, one in enumerate(part.kept, start=1)
            }
            self.engine.run(
                "verification/attack/composition/told",
                table=f"together_rows_{step}",
                made=f"together_rows_{step + 1}",
                place=position,
                number=part.number,
                releases=places,
                told=result,
                kept=list(numbers.values()),
                own={number: (inner, cast) for number, (inner, cast, _) in own.items()},
                order=[(number, text) for number, (_, _, text) in own.items()],
                entity=entity is not None,
            )
            self.engine.drop(f"together_rows_{step}")
            step, result = step + 1, [*result, position]
        common = {"releases": places, "told": result, "entity": entity is not None}
        self.engine.run(
            "verification/attack/composition/groups", table=f"together_rows_{step}", **common
        )
        self.engine.run("verification/attack/composition/parts", k=k, **common)
        rows = self.engine.query(
            "verification/attack/composition/sets", releases=places, entity=entity is not None
        )
        sizes = [tuple(int(value) for value in row) for row in rows]
        originals, known = self.engine.query("verification/attack/composition/open")[0]
        least = min(sizes, key=lambda size: (size[1], size[0]), default=(0, 0, 0, 0))
        small = [size for size in sizes if size[1] < k]
        return Sets(
            columns=tuple(dict.fromkeys(name for part in placed for name in part.columns)),
            originals=int(originals),
            sets=sum(size[2] for size in sizes),
            rows=least[0],
            units=least[1],
            small_sets=sum(row[2] for row in small),
            small_rows=sum(row[3] for row in small),
            released=sum(size[3] for size in sizes),
            undetermined=int(originals) - int(known),
        )

    def _column(self, read: Read, attribute: Attribute) -> int:
        """Return the number of a column of the source; its codes, which the dimension table gives,
        are kept."""
        key = (read.scope, attribute.name)
        if key not in self._known:
            number = len(self._known) + 1
            self._known[key] = _Known(number, attribute.column)
            table = f"together_values_{number}"
            self._run(
                self.engine,
                table,
                "verification/attack/composition/values",
                a=attribute,
                number=number,
            )
        return self._known[key].index

    def _show(self, read: Read, release: ReleaseTables, released: Released) -> tuple[_Kept, ...]:
        """Bring the released rows, by classes and kept values, to where the source is; return the
        kept columns."""
        reader, travels = release.engine, release.engine is not self.engine
        labels = {name for _, name, _ in released.labels}
        kept = _kept(read, self.engine.columns(self.source), labels, travels=travels)
        numbers = list(range(1, len(kept) + 1))
        leaving = [
            (number, column.name, "VARCHAR" if travels else column.released_cast)
            for number, column in zip(numbers, kept, strict=True)
        ]
        if not travels:  # what they are compared as, they are already
            kept = tuple(replace(column, released_cast=None) for column in kept)
        reader.drop("judged_rows")
        released.put_together(release, leaving)
        made = f"together_shown_{self._placed}"
        parameters = {"values": released.values, "number": self._placed, "kept": numbers}
        self._run(reader, made, "verification/attack/composition/shown", **parameters)
        if travels:  # the other engine is closed before this one is done
            columns = [("class", "BIGINT"), *((f"y{number}", "VARCHAR") for number in numbers)]
            columns.append(("n", "BIGINT"))
            names = [name for name, _ in columns]
            rows = reader.query("verification/facts", table=made, columns=names)
            reader.drop(made)
            self._made.remove((reader, made))
            self.engine.load(made, columns, rows)
            self._made.append((self.engine, made))
        return kept

    def _require_known_labels(self, read: Read, released: Released, attribute: Attribute) -> None:
        """Raise PolicyError where a label that stands for no value of the source is none of the
        hierarchy's: it may stand for any."""
        bounds = next(own for index, _, own in released.labels if index == attribute.index)
        reader, level = read.tables.engine, released.levels.get(attribute.index)
        arrays = attribute.index not in released.texts
        with bench_for(reader) as bench:
            values = "verification/attack/values"
            ask_released(bench, reader, values, bounds, arrays, i=attribute.index)
            covered, _ = widths(self.engine, attribute)
            own = hierarchy_of(bench, read.policy, attribute.name, ordered=attribute.sorts)
            least, most = (0, own.height) if level is None else (level, level)
            shape = Shape(attribute.name, "node", own, least, most, bounded=False)
            strange = unknown_labels(bench, covered, attribute.column, shape)
            total = asked(bench)
        if strange:
            text = (
                f"{strange:,} of {total:,} distinct values of {attribute.name!r} are no label"
                " of the policy's hierarchy: which rows they stand for is not known."
            )
            raise PolicyError.at(read.name, text, _OTHER_HIERARCHY)

    def _require_one_class(self, read: Read, steps: int) -> None:
        """Raise PolicyError where rows of the source fit several classes of a release."""
        several = int(
            self.engine.query("verification/attack/composition/several", steps=steps)[0][0]
        )
        if several:
            text = (
                f"{several:,} rows of the source fit several of its classes, and which one each was"
                " released in is not known."
            )
            raise PolicyError.at(read.name, text, _NO_CLASSES)

    def _run(self, engine: Engine, made: str, template: str, /, **parameters: object) -> None:
        engine.run(template, **parameters)
        self._made.append((engine, made))


_OTHER_HIERARCHY = (
    "Name the policy that made the release in its place, so that it is read by the hierarchies of"
    " that."
)
_NO_CLASSES = (
    "Releases are compared in which a row's values tell its class, as they do with full-domain,"
    " attribute-suppression or mondrian."
)


@dataclass(frozen=True)
class DescribedRelease:
    """What ``__columns`` says of a column."""

    role: str | None
    level: int | None
    looks_like: str


def described(tables: ReleaseTables) -> dict[str, DescribedRelease]:
    """Return what ``__columns`` says of a release's columns, by name."""
    rows = tables.engine.query(
        "verification/facts",
        table=tables.columns,
        columns=["column_name", "role", "level", "looks_like"],
    )
    return {name: DescribedRelease(role, level, looks or "") for name, role, level, looks in rows}


def _require_levels(read: Read, attributes: Sequence[Attribute]) -> None:
    """Raise PolicyError where a column's level is not the one that its hierarchy has there."""
    lines = described(read.tables)
    for attribute in attributes:
        line = lines.get(attribute.name)
        if line is None or line.level is None or attribute.name in read.plain:
            continue
        known = 0 <= line.level <= attribute.height
        if not known or attribute.levels[line.level] != line.looks_like:
            own = f"{attribute.levels[line.level]!r}" if known else "not there"
            text = (
                f"level {line.level} of {attribute.name!r} is {line.looks_like!r} there, and {own}"
                " in"
                " the policy's hierarchy."
            )
            raise PolicyError.at(read.name, text, _OTHER_HIERARCHY)


def _with_texts(read: Read, attributes: Sequence[Attribute]) -> ReleaseTables:
    """Return a release with the values of its plain columns as text, which labels are too."""
    tables = read.tables
    columns = {column.name: column for column in tables.engine.columns(tables.rows)}
    values = []
    for attribute in attributes:
        column = columns[attribute.name]
        if attribute.name not in read.plain or column.type == "VARCHAR":
            continue
        if column.kind != attribute.column.kind or column.cast is not None:
            text = (
                f"{attribute.name!r} is {column.family} there and {attribute.column.family} in the"
                " source, so"
                " that its values cannot be compared."
            )
            raise PolicyError.at(read.name, text, "Cast one of them in a view.")
        values.append(_Known(0, column))
    if not values:
        return tables
    cast = {value.name for value in values}
    tables.engine.run(
        "verification/attack/composition/released",
        table=tables.rows,
        labels=[name for name in columns if name not in cast],
        values=values,
    )
    return replace(tables, rows=("together_released",))


def _released(release: ReleaseTables, read: Read, attributes: Sequence[Attribute]) -> Released:
    """Return the labels of a release, with the levels that they are of where it tells them."""
    released = Released.of(
        release, read.policy, [(column.index, column.name) for column in attributes]
    )
    heights = {attribute.index: attribute.height for attribute in attributes}
    levels = {
        index: level for index, level in released.levels.items() if 0 <= level <= heights[index]
    } | {attribute.index: 0 for attribute in attributes if attribute.name in read.plain}
    return replace(released, sensitive=(), levels=levels)


def _has_rows(release: ReleaseTables, released: Released) -> bool:
    """Return whether a release has a row that is not masked."""
    rows = int(release.engine.query("verification/rows", table=release.rows)[0][0])
    return rows > (max(0, count_of(facts_of(release), "masked")) if released.masks else 0)


def _kept(
    read: Read, originals: Sequence[Column], labels: set[str], *, travels: bool
) -> tuple[_Kept, ...]:
    """Return the kept columns of a release whose values can be compared with the source's."""
    release = read.tables
    lines = described(release)
    columns = {column.name: column for column in release.engine.columns(release.rows)}
    result = []
    for original in originals:
        released, line = columns.get(original.name), lines.get(original.name)
        if released is None or line is None or original.name in labels:
            continue
        if line.role not in KEPT or not original.comparable:
            continue
        if line.looks_like.endswith(f"(change.{original.name} in __about)"):
            continue  # its values are not the source's
        if not released.comparable or (travels and original.kind in _INEXACT):
            continue
        casts = casts_of(original, released, travels=travels)
        if casts is not None:
            text = (casts[0] or original.type) == "VARCHAR"
            result.append(_Kept(original.name, *casts, text))
    return tuple(result)


_INEXACT = ("float", "timestamp", "other")
"""Kinds of values that may not be the same when they come from another engine."""
