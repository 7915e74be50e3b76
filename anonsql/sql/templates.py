"""SQL templates: one statement each, rendered strictly.

Jinja carries loops, simple ifs and includes; names, values and numbers enter a statement only
through the filters below, each of which quotes or checks what it is given. A test holds every
``{{ }}`` of every template to that.

- Names: ``ident``, ``idents`` (joined by commas), ``backquoted``.
- Values: ``literal``, ``literals``, ``rows`` (for VALUES), ``integer``, ``number``, ``file``,
  ``files``, ``escaped``.
- Other text: ``sql_type``, ``condition`` and ``select`` (of the policy, from their syntax
  trees).
- Lists of attributes: ``{{ attributes | listed('c.c#') }}`` is ``c.c1, c.c2``;
  ``{{ attributes | each('p.c# = c.c#', ' AND ') }}`` is ``p.c1 = c.c1 AND p.c2 = c.c2``;
  ``{{ attributes | each('JOIN dim_# AS d# ON d#.code = c.c#') }}`` is a line for each.
- One attribute: ``{{ a | sql('d#.code = c.c#') }}`` is ``d1.code = c.c1``; ``{{ a | value('s') }}``
  is its value in the relation s; ``{{ a | text('s', 'q1') }}`` the text of the value in s.q1.

In patterns, which are text of the templates alone, ``#`` stands for the index of an attribute,
``@`` for its quoted name, ``$`` for its position in the list and ``@(s)`` for its value in the
relation s (:func:`each`). In the SQL of a template ``#`` stands for the index of the attribute
``a`` (:class:`MarksExtension`)::

    {% for a in attributes %}
    JOIN dim_# AS d# ON d#.code = c.c#
    {% endfor %}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    Environment,
    ModuleLoader,
    PrefixLoader,
    StrictUndefined,
    TemplateNotFound,
)
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

from anonsql.sql.compiled import CompiledTemplates
from anonsql.sql.dialects import Dialect
from anonsql.sql.loading import TemplateFolders

if TYPE_CHECKING:
    from anonsql.policy.conditions import Condition


@dataclass(frozen=True)
class SelectQuery:
    """A query that was parsed and only reads, as :func:`anonsql.grammar.selects.read` gives it."""

    sql: str


Name = str | Sequence[str]
_MARK = re.compile(r"@\((?P<relation>[a-z]+)\)|[#@$]")
_TYPE = re.compile(r'[A-Za-z_](?:[A-Za-z0-9_ (),\[\]]|"(?:[^"\0]|"")*")*')


def ident(name: Name) -> str:
    """Return a quoted identifier; a sequence gives a dotted path."""
    parts = [name] if isinstance(name, str) else list(name)
    if not parts or any("\0" in part for part in parts):
        raise ValueError("an identifier is empty or contains a NUL character")
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)


def idents(names: Sequence[Name], prefix: str = "") -> str:
    """Return quoted identifiers joined by commas, each behind ``prefix.`` when one is given."""
    return ", ".join(
        ident([prefix, name] if prefix and isinstance(name, str) else name) for name in names
    )


def value(attribute: Any, relation: str) -> str:
    """Return the SQL for the value of an attribute in a relation, by the template
    ``star/value``."""
    return environment().get_template("star/value.sql").render(a=attribute, side=relation)


def text(attribute: Any, relation: str, column: str) -> str:
    """Return the SQL for the text of an attribute's value in a column, by the template
    ``star/text``."""
    parameters = {"a": attribute, "value": [relation, column]}
    return environment().get_template("star/text.sql").render(**parameters)


def each(items: Iterable[Any], pattern: str, between: str = "\n") -> str:
    """Return the pattern once for every item of a list, with ``between`` from one to the next.

    A pattern is SQL of the template's own, with marks that are filled as any other value is: ``#``
    is the index of the item or, of a number, the number itself; ``@`` its quoted name or, of a
    name, the name itself; ``$`` its position in the list, counted from 1; ``@(s)`` its value in the
    relation ``s``, see :func:`value`.

    >>> each([2, 5], "JOIN dim_# AS d# ON d#.code = c.c#")
    'JOIN dim_2 AS d2 ON d2.code = c.c2\\nJOIN dim_5 AS d5 ON d5.code = c.c5'
    >>> each(["age", "zip code"], "s.@ = r.@", " AND ")
    's."age" = r."age" AND s."zip code" = r."zip code"'
    """
    return between.join(
        _MARK.sub(partial(_filled, item=item, position=position), pattern)
        for position, item in enumerate(items, start=1)
    )


def sql(item: Any, pattern: str) -> str:
    """Return the pattern for one item, as :func:`each` does.

    >>> sql(2, "LEFT JOIN values_# AS v# ON v#.value = t.q#")
    'LEFT JOIN values_2 AS v2 ON v2.value = t.q2'
    """
    return each([item], pattern)


def _filled(mark: re.Match[str], item: Any, position: int) -> str:
    """Return the text that replaces a mark of a pattern."""
    if mark["relation"]:
        return value(item, mark["relation"])
    if mark[0] == "#":
        if isinstance(item, int):
            return integer(item)
        return integer(item.position if hasattr(item, "position") else item.index)
    if mark[0] == "@":
        return ident(item if isinstance(item, (str, list, tuple)) else item.name)
    return integer(position)


def listed(items: Iterable[Any], pattern: str) -> str:
    """Return the pattern for every item, as :func:`each` does, joined by commas.

    >>> listed([2, 5], "c.c#")
    'c.c2, c.c5'
    """
    return each(items, pattern, ", ")


def literal(value: object) -> str:
    """Return an SQL literal for a string, number, boolean, date or NULL."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float, Decimal)):
        if isinstance(value, (float, Decimal)) and not Decimal(value).is_finite():
            raise ValueError("a number literal is not finite")
        return str(value)
    if isinstance(value, (date, datetime)):
        return f"'{value.isoformat(sep=' ') if isinstance(value, datetime) else value.isoformat()}'"
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError("a text literal contains a NUL character")
        return "'" + value.replace("'", "''") + "'"
    raise TypeError(f"no SQL literal for {type(value).__name__}")


def file(path: str) -> str:
    """Return the literal of a path that DuckDB reads, with wildcard characters escaped."""
    return literal(re.sub(r"([*?\[])", r"[\1]", path))


def files(paths: Sequence[str]) -> str:
    """Return a list of paths as :func:`file` writes them."""
    return f"[{', '.join(file(path) for path in paths)}]"


def backquoted(name: Name) -> str:
    """Return an identifier in backquotes; a sequence gives a dotted path."""
    parts = [name] if isinstance(name, str) else list(name)
    if not parts or any("\0" in part for part in parts):
        raise ValueError("an identifier is empty or contains a NUL character")
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


def escaped(value: object) -> str:
    """Return a literal for dialects where a backslash in text is an escape."""
    if isinstance(value, str):
        literal(value)  # it refuses values that no literal can hold
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return literal(value)


def literals(values: Sequence[object]) -> str:
    """Return literals joined by commas."""
    return ", ".join(literal(value) for value in values)


def rows(values: Sequence[Sequence[object]]) -> str:
    """Return parenthesized rows of literals, for VALUES."""
    return ", ".join(f"({literals(row)})" for row in values)


def integer(value: int) -> str:
    """Return an integer; raise an error for any other value."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"an integer is needed, found {type(value).__name__}")
    return str(value)


def number(value: Decimal) -> str:
    """Return a plain decimal number, never in exponent notation."""
    return format(value, "f")


def sql_type(text: str) -> str:
    """Return a type in an engine's spelling; raise an error where it has more than words, numbers,
    quoted field names, parentheses, commas and brackets."""
    if not _TYPE.fullmatch(text):
        raise ValueError(f"{text!r} is no plain type name")
    return text


def condition(tree: Condition, side: str) -> str:
    """Return a condition of the policy over the columns of a relation, from its syntax tree,
    everything in it quoted."""
    return tree.sql(side)


def select(select_query: SelectQuery) -> str:
    """Return a query of the policy that was parsed, held to reading and written out again (see
    :mod:`anonsql.grammar.selects`); refuse any other text."""
    if not isinstance(select_query, SelectQuery):
        raise TypeError(f"no query but {type(select_query).__name__}")
    return select_query.sql


FILTERS = {
    "condition": condition,
    "each": each,
    "listed": listed,
    "ident": ident,
    "idents": idents,
    "literal": literal,
    "file": file,
    "files": files,
    "backquoted": backquoted,
    "escaped": escaped,
    "sql": sql,
    "literals": literals,
    "rows": rows,
    "select": select,
    "integer": integer,
    "number": number,
    "sql_type": sql_type,
    "text": text,
    "value": value,
}


@cache
def folder(name: str) -> Path:
    """Return the folder ``sql_templates`` or ``schemas``, in an installed wheel or beside the
    package in a checkout."""
    package = Path(__file__).parent.parent
    for path in (package / name, package.parent / name):
        if path.is_dir():
            return path
    raise FileNotFoundError(f"{name} is missing from the installation")


class MarksExtension(Extension):
    """Let ``#`` in the SQL of a template stand for the index of the attribute ``a``, as
    ``{{ a | sql('#') }}`` does."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Yield a template's tokens, those of a filtered expression in the place of every mark."""
        for token in stream:
            if token.type != "data":
                yield token
                continue
            line = token.lineno
            for position, part in enumerate(token.value.split("#")):
                if position:
                    yield from (Token(line, kind, text) for kind, text in _INDEX_OF_A)
                if part:
                    yield Token(line, "data", part)
                line += part.count("\n")


_INDEX_OF_A = (
    ("variable_begin", "{{"),
    ("name", "a"),
    ("pipe", "|"),
    ("name", "sql"),
    ("lparen", "("),
    ("string", "#"),
    ("rparen", ")"),
    ("variable_end", "}}"),
)

_ADDED: dict[str, BaseLoader] = {}
"""The template folders of methods that other packages add, by name."""


def add(method: str, templates: Path) -> None:
    """Register a folder of templates of a method, to be rendered as ``methods/<name>/<file>``."""
    _ADDED[method] = TemplateFolders(templates)


class _OfModels(BaseLoader):
    """The templates of privacy models that other packages add: ``<name>/<file>``."""

    def get_source(self, environment: Environment, template: str) -> Any:
        """See the base class."""
        from anonsql.privacy import plugins

        name, _, file = template.partition("/")
        where = plugins.settings_of(name).templates if name in plugins.names() else None
        if where is None:
            raise TemplateNotFound(template)
        return TemplateFolders(where).get_source(environment, file)


def compiled_folder() -> Path:
    """Return the folder where a wheel has its templates as Python modules, if the installed version
    of Jinja compiled them. In a checkout, and with another version, there is none."""
    return Path(__file__).with_name(f"compiled_by_jinja_{jinja2.__version__}")


@cache
def environment() -> Environment:
    """Return the one Jinja environment: undefined names are errors, and only the filters escape
    values."""
    own = [folder("sql_templates"), folder("schemas")]
    compiled = compiled_folder()
    made = Environment(  # noqa: S701 - SQL, not HTML: the filters quote
        loader=ChoiceLoader(
            [
                *([ModuleLoader(compiled)] if compiled.is_dir() else []),
                TemplateFolders(own),
                PrefixLoader({"methods": PrefixLoader(_ADDED), "privacy": _OfModels()}),
            ]
        ),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        extensions=[MarksExtension],
        optimized=False,  # no filter runs when a template is compiled: the code is kept
        cache_size=-1,  # a process that runs many jobs needs all of them again and again
        bytecode_cache=CompiledTemplates(own, Path(__file__)),
    )
    made.filters = dict(FILTERS)
    return made


def pretty(template: str, dialect: Dialect, /, **parameters: Any) -> str:
    """Return the statement of a template for people to read: in any dialect, one clause a line,
    with nothing of the template's layout."""
    from anonsql.sql import translation

    text = environment().get_template(f"{template}.sql").render(**parameters).strip()
    return translation.pretty(text, dialect)


_SHARED_BY_ENGINES = ("engines/sqlalchemy_engine/", "engines/session_view")
"""The templates of :mod:`anonsql.engines` that are no single engine's."""


def render(template: str, dialect: Dialect = "duckdb", /, **parameters: Any) -> str:
    """Return the statement of ``sql_templates/<template>.sql`` for these parameters, in an engine's
    dialect.

    Templates are written in DuckDB's; those in an engine's own folder are in that engine's.
    """
    text = environment().get_template(f"{template}.sql").render(**parameters).strip()
    own = template.startswith("engines/") and not template.startswith(_SHARED_BY_ENGINES)
    return text if own else translate(text, dialect)


def translate(
    statement: str,
    dialect: Dialect,
    renamed: Mapping[str, str] | None = None,
    unlogged: bool = False,
) -> str:
    """Translate a statement as :func:`anonsql.sql.translation.translate` does. For DuckDB the text
    stays as it is, unless tables are renamed: sqlglot is only loaded where there is something to
    translate, for loading it takes as long as a small search."""
    if dialect == "duckdb" and renamed is None:
        return statement
    from anonsql.sql import translation

    return translation.translate(statement, dialect, renamed, unlogged)


def one_query(
    tables: Mapping[str, str], query: str, dialect: Dialect, outside: str, stands_for: str
) -> str:
    """Return a query with those that make its tables in it, as
    :func:`anonsql.sql.translation.one_query` does."""
    from anonsql.sql import translation

    return translation.one_query(tables, query, dialect, outside, stands_for)
