"""Finding a release by what a user names: a file, a folder, a server, or the policy that made it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from anonsql import places
from anonsql.answering.answers import Opened
from anonsql.answering.columns import held
from anonsql.engines import open_engine
from anonsql.engines.base import (
    BASE_PARTS,
    Context,
    Engine,
    Located,
    Part,
    extras_of,
    is_release,
    part_name,
    parts_of,
)
from anonsql.errors import PolicyError, did_you_mean
from anonsql.places import PARQUET, Location, Places
from anonsql.policy import Policy
from anonsql.source_policy import Source
from anonsql.verification.facts import facts_of

_POLICY = (".yaml", ".yml")
_NO_RELEASE = "`anonsql run` makes one."


def given(release: object) -> tuple[Location, Policy | None]:
    """Where a release lies, and the policy where that is what names it."""
    if isinstance(release, (Policy, Mapping)):
        policy = Policy.of(release)
        return Places.of(policy).release, policy
    text = str(release)
    path = Path(text)
    if path.suffix.lower() in _POLICY:
        policy = Policy.load(path)
        return Places.of(policy).release, policy
    if path.is_dir() or path.suffix.lower() in PARQUET:
        return Location("folder" if path.is_dir() else "parquet", path.absolute()), None
    return places.database(text, "RELEASE", lambda named: Path(named).absolute()), None


@contextmanager
def opened(
    place: Location, policy: Policy | None, table: str, context: Context
) -> Iterator[Opened]:
    """The release of a table, to be asked inside; raises PolicyError when there is none there."""
    with closing(open_engine(place, context)) as engine:
        if place.is_file:
            from anonsql.engines.file_target import FileTarget

            known = _tables(engine, place)
            if table not in known:
                raise _missing(table, place, known)
            reading = FileTarget(engine, place, table, context)
            with reading.published() as bare:
                extras = extras_of(bare.engine, bare.about)
            with FileTarget(engine, place, table, context, extras).published() as located:
                yield to_ask(located, policy)
        else:
            yield to_ask(_on_server(engine, place, table), policy)


def _tables(engine: Engine, place: Location) -> list[str]:
    """The tables that files are releases of."""
    from anonsql.engines import duckdb_files
    from anonsql.engines.duckdb import DuckDBEngine

    if place.kind == "parquet":
        duckdb_files.require_readable(place.path, "RELEASE", "Check the path.")
        return [place.path.stem]
    if place.kind == "folder":
        names = (
            [each.name.removesuffix(".parquet") for each in place.path.iterdir()]
            if place.path.is_dir()
            else []
        )
    else:
        duckdb_files.require_readable(place.path, "RELEASE", "Check the path.")
        assert isinstance(engine, DuckDBEngine)  # noqa: S101 - files are read by it
        engine.attach(place.path, "looked_at", "RELEASE")
        names = engine.tables(("looked_at",))
        engine.detach("looked_at")
    return sorted(name for name in names if part_name(name, "about") in names)


def _on_server(engine: Engine, place: Location, table: str) -> Located:
    """The tables of a release on a server."""
    rows = engine.open_source(Source(database=place.url, table=table))
    tables: dict[Part, tuple[str, ...]] = {"rows": rows}
    for part in BASE_PARTS[1:]:
        try:
            tables[part] = engine.open_source(
                Source(database=place.url, table=".".join((*rows[:-1], part_name(rows[-1], part))))
            )
        except PolicyError:
            raise PolicyError.at(
                "query", f"{table} on {place} is no release of anonsql.", _NO_RELEASE
            ) from None
    if not is_release(engine, tables["about"]):
        raise PolicyError.at("query", f"{table} on {place} is no release of anonsql.", _NO_RELEASE)
    for part in parts_of(extras_of(engine, tables["about"])):
        tables.setdefault(part, (*rows[:-1], part_name(rows[-1], part)))
    return Located.of(engine, tables)


def _missing(table: str, place: Location, known: list[str]) -> PolicyError:
    """That there is no release of this name."""
    if not known:
        return PolicyError.at("RELEASE", f"{place} is no release of anonsql.", _NO_RELEASE)
    hint = did_you_mean(table, known) or f"Known: {', '.join(map(repr, known))}."
    return PolicyError.at(
        "query",
        f"there is no release of a table {table!r} in {place}.",
        f"FROM names the released table. {hint}",
    )


def to_ask(located: Located, policy: Policy | None) -> Opened:
    """The tables of a release to be asked; its hierarchies are known where the policy is."""
    about = facts_of(located)
    columns = held(located, about, policy)
    starred = (
        [each.name for each in columns.values() if each.labels]
        if about.get("masked", "0") != "0"
        else []
    )
    return Opened(located, columns, starred, about)
