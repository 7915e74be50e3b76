"""The code book of a release, in plain words too, and its class sizes. No value of fewer than k rows
is named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from anonsql.engines.base import Column, Context, Part, ReleaseTables, StatedColumn
from anonsql.features.report.document import ClassSize, ClassSizes, CodeBookColumn, CommonValue
from anonsql.features.verify.document import Check
from anonsql.grammar.forms import BOUNDS, column_of
from anonsql.jobs.workspace import private_memory, scratch
from anonsql.policy.columns import GENERALIZED, KEPT
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import Location
from anonsql.policy.methods import traits
from anonsql.policy.release_parts import part_name
from anonsql.presentation import tree
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
_SENTENCES: dict[str, str] = {
    "value": "The original value.",
    "value-or-star": "The original value, or * if it is hidden.",
    "star": "Always *: the value is not published.",
    "level": "A label that covers several values: {looks}.",
    "node": "The original value, or the name of a group that contains it, up to *.",
    "interval": (
        "A range, {looks}: [20,30) is a value from 20 up to, but without, 30, <20 is one below 20,"
        " and >=90 is 90 or more."
    ),
    "mask-right": "Characters are hidden by *: {looks}.",
    "mask-left": "Characters are hidden by *: {looks}.",
    "range": "A range: [20,30] is a value from 20 to 30, both included.",
    "numbers": "A range: [20,30] is a value from 20 to 30, both included.",
    "set": "A set: {{a, b}} is one of the values a and b.",
    "names": (
        "A range of the values in the order of their `place` in `__labels`, from the first to"
        " the last named."
    ),
    "texts": "A range of the values in the order of their texts, from the first to the last named.",
    "mean": "A number of the whole group: {looks}.",
    "median": "A number of the whole group: {looks}.",
    "least": "A number or date for computing: the original value is at least this.",
    "greatest": "A number or date for computing: the original value is at most this.",
    "changed": (
        "A number that can differ from the row's own: {looks}. The release's facts state the"
        " thresholds."
    ),
    "drawn": (
        "The original value, or one that was drawn at random: {looks}. The release's facts state"
        " how often."
    ),
    "surrogate": (
        "A number instead of the value: rows with the same number had the same value. The number"
        " depends on the released rows only."
    ),
    "null": "Always empty (NULL): the value is not published.",
    "constant": "Always *: the value is not published.",
}
"""The meaning of a form to a reader; other forms are described by the text in ``__columns``."""
_WITHHELD = "; nothing where it is sensitive"
ROLES = {
    "identifying": "identifies a person by itself",
    "quasi-identifying": "may be known to others",
    "semi-sensitive": "sensitive for some people only",
    "sensitive": "harmful to know about a person",
    "insensitive": "neither known to others nor harmful",
    "weight": "the number of people a row represents",
    "record": "added by the release",
    "group": "added by the release",
    "bucket": "added by the release",
}
"""What each role means, in a few words."""


def is_bound(column: StatedColumn) -> bool:
    """Return whether a column has bounds of another."""
    return column.role in GENERALIZED and column_of(column.name, column.form) is not None


@dataclass(frozen=True)
class ReleasedTable:
    """A release that is open for reading, with its facts and columns."""

    tables: ReleaseTables
    name: str
    about: Mapping[str, str]
    columns: Sequence[Column]

    @classmethod
    def of(cls, tables: ReleaseTables, name: str) -> ReleasedTable:
        """Return a release with the facts that it states."""
        return cls(tables, name, facts_of(tables), tables.engine.columns(tables.rows))

    @property
    def described(self) -> Sequence[StatedColumn]:
        """The rows of ``__columns``; a name is text whatever a release has there."""
        return [one._replace(name=str(one.name)) for one in self.tables.stated_columns]

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


def checks_shown(found: Sequence[Check], *, opened: bool = False) -> list[tree.Part]:
    """Return queries by which a reader can check the promise, the first one ``opened``."""
    nothing = tree.Sentence("The release alone cannot show this.", tone="quiet")
    return [
        tree.Sentence(
            "Each of these queries looks for something that breaks the promise. They run in any SQL"
            " client that opens the release."
        ),
        tree.Sentence("", "No row in the result means that the promise holds."),
        *(
            tree.Section(
                check.title,
                [
                    tree.Sentence(check.says),
                    tree.Code(check.sql, long=True) if check.sql else nothing,
                ],
                folded=True,
                opened=opened and number == 0,
            )
            for number, check in enumerate(found)
        ),
    ]


def code_book(release: ReleasedTable) -> list[CodeBookColumn]:
    """Return the code book for recipients: the columns of ``__columns`` first."""
    lines = {column.name: column for column in release.described}
    columns = {column.name: column for column in release.columns}
    result = [_of_column(release, column, columns.get(column.name)) for column in release.described]
    unnamed = [StatedColumn(name, None, None, None, None) for name in columns if name not in lines]
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
    release: ReleasedTable, line: StatedColumn, column: Column | None
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
        form=line.form,
        looks_like=line.looks_like,
        values=None,
        common=[],
        rare=None,
    )
    has_values = line.role in (*GENERALIZED, *KEPT) and not is_bound(line)
    if not has_values or not column.comparable:
        return kind
    parameters = {"table": table, "column": line.name, "counted": counted, "k": release.named_from}
    query = release.tables.engine.query
    values, common = query("features/report/variety", **parameters)[0]
    if line.form in _NAMES_ENDS:
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
    labels = [column.name for column in own if not is_bound(column)]
    sizes = []
    for names in combinations(release, labels)[:_MOST_COMBINATIONS]:
        ends = [f"{name}_{end}" for name in names for end in ("lo", "hi")]
        keys = names + [column.name for column in own if is_bound(column) and column.name in ends]
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


def says(column: CodeBookColumn) -> str:
    """Return a sentence on the kind of values of a column."""
    looks = column.looks_like or ""
    more = " Empty (NULL) if it is sensitive." if looks.endswith(_WITHHELD) else ""
    looks = looks.removesuffix(_WITHHELD)
    if sentence := _SENTENCES.get(column.form or ""):
        return sentence.format(looks=looks) + more
    return f"{looks[:1].upper()}{looks[1:]}.{more}" if looks else "The release does not say."


@dataclass(frozen=True)
class ExplainedColumn:
    """A column of a code book, the looks of its values, the meaning of its role, and the columns of
    its bounds."""

    told: CodeBookColumn
    says: str
    means: str
    bounds: Sequence[CodeBookColumn]


def explained(book: Sequence[CodeBookColumn]) -> list[ExplainedColumn]:
    """Return the columns of a code book, each with its bounds."""
    bounds: dict[str, list[CodeBookColumn]] = {column.column: [] for column in book}
    for column in book:
        of = column_of(column.column, column.form) if column.form in BOUNDS else None
        if of in bounds:
            bounds[of].append(column)
    inside = {column.column for own in bounds.values() for column in own}
    return [
        ExplainedColumn(
            column, says(column), ROLES.get(column.role or "", ""), bounds[column.column]
        )
        for column in book
        if column.column not in inside
    ]
