"""The code book of a release and its class sizes. No value of fewer than k rows is named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from anonsql.engines.base import Column, Context, Part, ReleaseTables
from anonsql.features.report.page_document import ClassSize, ClassSizes, CodeBookColumn, CommonValue
from anonsql.features.verify.document import Check
from anonsql.grammar.forms import column_of
from anonsql.jobs.workspace import private_memory, scratch
from anonsql.policy.columns import GENERALIZED, KEPT
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import Location
from anonsql.policy.methods import traits
from anonsql.policy.release_parts import part_name
from anonsql.release.columns import COUNT, GROUP
from anonsql.system.journal import Journal
from anonsql.verification import plain_sql
from anonsql.verification.facts import combinations_of, count_of, facts_of

MOST_VALUES = 8
NAMED_FROM = 5
"""Rows that a value needs to be named where k is 1, so that nothing follows from it."""
_NAMES_ENDS = ("range", "set", "numbers", "names", "texts")
"""The forms of labels that name single values: their ends, or their elements."""
_MOST_COMBINATIONS = 6


@dataclass(frozen=True)
class ColumnLine:
    """A line of ``__columns``."""

    name: str
    role: str | None
    level: int | None
    form: str
    looks_like: str

    @property
    def is_bound(self) -> bool:
        """Whether it is a column of bounds of another."""
        return self.role in GENERALIZED and column_of(self.name, self.form) is not None

    @property
    def names_single_values(self) -> bool:
        """Whether labels name values that single rows may have."""
        return self.form in _NAMES_ENDS


@dataclass(frozen=True)
class ReleasedTable:
    """A release that is open for reading, with its facts and what ``__columns`` says."""

    tables: ReleaseTables
    name: str
    about: Mapping[str, str]
    columns: Sequence[Column]
    described: Sequence[ColumnLine] = field(default_factory=list)

    @classmethod
    def of(cls, tables: ReleaseTables, name: str) -> ReleasedTable:
        """Return a release with what it says of itself."""
        lines = [
            ColumnLine(str(one.name), one.role, one.level, one.form or "", one.looks_like or "")
            for one in tables.stated_columns
        ]
        return cls(tables, name, facts_of(tables), tables.engine.columns(tables.rows), lines)

    @property
    def k(self) -> int:
        """The k that it states; 1 where it states none."""
        return max(count_of(self.about, "k"), 1)

    @property
    def named_from(self) -> int:
        """How many rows a value needs to be named in a page."""
        return named_from(self.k)


@contextmanager
def context_of(settings: EngineSettings) -> Iterator[Context]:
    """Yield the context in which files of a release are read without a policy."""
    with private_memory(), scratch() as folder:
        yield Context(folder, settings, Journal(), purpose="anonsql report", reading=True)


def named_from(k: int) -> int:
    """Return how many rows a value needs to be named in a page: k, unless that is 1."""
    return k if k > 1 else NAMED_FROM


def checks(release: ReleasedTable, location: Location) -> list[Check]:
    """Return the queries by which recipients can check that the release keeps its promises."""
    dialect = release.tables.engine.dialect
    named = plain_sql.named_in(location, release.name, dialect)
    queries = plain_sql.checks(release.tables, named, dialect, single=location.is_single)
    return [Check.model_validate(asdict(check)) for check in queries]


def code_book(release: ReleasedTable) -> list[CodeBookColumn]:
    """Return what a recipient finds in each column, those of ``__columns`` first."""
    lines = {column.name: column for column in release.described}
    columns = {column.name: column for column in release.columns}
    result = [_of_column(release, column, columns.get(column.name)) for column in release.described]
    unnamed = [ColumnLine(name, None, None, "", "") for name in columns if name not in lines]
    result += [_of_column(release, column, columns[column.name]) for column in unnamed]
    return [column for column in result if column is not None]


def _apart(release: ReleasedTable, name: str) -> tuple[Part, Column] | None:
    """Return the table of sensitive values that has a column, and the column; None without."""
    for part, table in release.tables.extras.items():
        if part.startswith("sensitive"):
            for column in release.tables.engine.columns(table):
                if column.name == name:
                    return part, column
    return None


def _of_column(
    release: ReleasedTable, line: ColumnLine, column: Column | None
) -> CodeBookColumn | None:
    table, counted, part = release.tables.rows, None, "rows"
    if column is None:
        found = _apart(release, line.name) if line.form == "apart" else None
        if found is None:
            return None
        part, column = found
        table, counted = release.tables.extras[part], COUNT.name
    kind = CodeBookColumn(
        column=line.name,
        table=part_name(release.name, part),
        type=column.type,
        role=line.role,
        level=line.level,
        form=line.form or None,
        looks_like=line.looks_like or None,
        values=None,
        common=[],
        rare=None,
    )
    has_values = line.role in (*GENERALIZED, *KEPT) and not line.is_bound
    if not has_values or not column.comparable:
        return kind
    parameters = {"table": table, "column": line.name, "counted": counted, "k": release.named_from}
    query = release.tables.engine.query
    values, common = query("features/report/variety", **parameters)[0]
    if line.names_single_values:
        return kind.model_copy(update={"values": values})
    words = query("features/report/common_values", most=MOST_VALUES, **parameters)
    shown = [CommonValue(value=None if word is None else str(word), rows=n) for word, n in words]
    return kind.model_copy(update={"values": values, "rare": values - common, "common": shown})


def class_sizes(release: ReleasedTable) -> list[ClassSizes]:
    """Return the sizes of groups, or of classes by combination of columns; none without classes."""
    if not traits(release.about.get("method", "")).equal_rows_are_classes:
        return []
    types = {column.name: column.type for column in release.columns}
    grouped = any(part.startswith("sensitive") for part in release.tables.extras)
    if grouped and GROUP.name in types:
        return [_sizes(release, [GROUP.name], [], [GROUP.name])]
    own = [
        column
        for column in release.described
        if column.role in GENERALIZED and column.name in types
    ]
    labels = [column.name for column in own if not column.is_bound]
    sizes = []
    for names in combinations(release, labels)[:_MOST_COMBINATIONS]:
        ends = [f"{name}_{end}" for name in names for end in ("lo", "hi")]
        keys = names + [column.name for column in own if column.is_bound and column.name in ends]
        texts = [name for name in names if types[name] == "VARCHAR"]
        sizes.append(_sizes(release, keys, texts, names))
    return sizes


def combinations(release: ReleasedTable, labels: list[str]) -> list[list[str]]:
    """Return the combinations of columns that keep the promise each by itself."""
    if "quasi_identifiers" not in release.about:
        return [labels] if labels else []
    return combinations_of(release.about, labels)


def _sizes(
    release: ReleasedTable, keys: Sequence[str], labels: Sequence[str], columns: Sequence[str]
) -> ClassSizes:
    counted = release.tables.engine.query(
        "features/report/class_sizes",
        table=release.tables.rows,
        keys=keys,
        labels=labels,
        masks=count_of(release.about, "masked") > 0,
    )
    sizes = [ClassSize(rows=size, classes=classes) for size, classes in counted]
    return ClassSizes(columns=list(columns), sizes=sizes)
