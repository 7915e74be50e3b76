"""``anonsql init``: profile a table and write a commented policy for its owner to finish.

Every proposal has a reason; open points, which cannot be inferred, are named by ``check``. The
policy holds counts and types, never a value of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from anonsql.engines import open_engine
from anonsql.engines.base import Column, Context, Engine, Relation
from anonsql.errors import PolicyError, Problem
from anonsql.features.anonymize import wording
from anonsql.features.anonymize.command import FRAME, written
from anonsql.features.init.document import InitReport
from anonsql.features.init.families import joined
from anonsql.features.init.names import DIAGNOSIS
from anonsql.features.init.pairs import pairs
from anonsql.features.init.policy_text import Proposal, frame_text, policy_text
from anonsql.features.init.proposals import (
    Decision,
    Profile,
    person,
    propose_all,
)
from anonsql.features.init.quantiles import SHARES, Quantiles
from anonsql.features.init.stated import Origin, read, with_stated
from anonsql.hierarchies.patterns import FORMS, ICD_10, Form, recognize
from anonsql.jobs.workspace import private_memory, scratch
from anonsql.masking import without_secrets
from anonsql.policy import locations as places
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import Location
from anonsql.policy.source import Source
from anonsql.presentation.documents import finding
from anonsql.risks import mess
from anonsql.risks.contents import looking as contents
from anonsql.risks.keys_of_people.finding import keys
from anonsql.risks.keys_of_people.problems import Repeating, repeating
from anonsql.risks.safe_harbor import words_of
from anonsql.system import database_files
from anonsql.system.journal import Journal

_SERVER = re.compile(r"[A-Za-z][A-Za-z0-9+]*://|local\[")
_KS = (10, 5, 3, 2)
_CLASSES = 4  # of k rows, or people, that a table must have for a proposed k
_SEVERAL = ", or for several related tables --of the table in which every row is a person."
_DISTINCT = 100_000  # at most of values that are looked at one by one
NUMBERS = ("integer", "decimal", "float")
"""The kinds of columns of numbers."""


@dataclass(frozen=True)
class Looked:
    """An examined table: the engine that reads it, the source as a policy names it, and the
    profiles of its columns."""

    engine: Engine
    relation: Relation
    profiles: list[Profile]
    source: Source


def init(
    database: str,
    table: str | None,
    output: Path,
    header: bool | list[str] | None = None,
    stated: tuple[Origin, Path] | None = None,
) -> InitReport:
    """Profile a table (or, without ``table``, a CSV or Parquet file; ``header`` is written into the
    policy's source) and write a policy to ``output``, which must not exist. ``stated`` is a
    manifest of dbt, or a data contract, with roles of its columns."""
    require_new(output)
    location, source = source_of(database, table, header)
    said = read(*stated, table or location.path.stem) if stated is not None else {}
    with opened(location, source) as result:
        require_rows(result)
        decisions, warnings = with_stated(propose_all(result.profiles), said)
        proposal = _proposal(result, decisions)
        proposal = replace(proposal, warnings=[*warnings, *proposal.warnings])
    write(output, policy_text(proposal, given_place(database, location, output), result.source))
    return InitReport(
        policy=str(output),
        columns=len(proposal.decisions),
        undecided=[
            decision.name for decision in joined(proposal.decisions) if "UNDECIDED" in decision.why
        ],
        warnings=[finding(warning) for warning in proposal.warnings],
    )


def of_frame(table: object) -> str:
    """Return the policy that is proposed for a data frame, as YAML, without source and release: see
    :func:`anonsql.api.init`."""
    with scratch() as folder, wording.about_frame():
        file = written(table, folder)
        source = Source(database=str(file), table=FRAME)
        with opened(Location("duckdb", file), source) as policy:
            if not policy.profiles or not policy.profiles[0].rows:
                text = "the frame has no rows, so there is nothing to propose."
                raise PolicyError.at("table", text, "Give a frame that has rows.")
            decisions = [
                replace(decision, why=wording.of_frame(decision.why))
                for decision in propose_all(policy.profiles)
            ]
            proposal = _proposal(policy, decisions)
            warnings = [wording.reworded(warning) for warning in proposal.warnings]
            return frame_text(replace(proposal, warnings=warnings))


def _proposal(table: Looked, decisions: Sequence[Decision]) -> Proposal:
    """Return the decisions on the columns of a table, with warnings on their combinations: columns
    that determine each other, and columns by which several rows may be one person. A key of people
    becomes the column that k counts."""
    warnings = list(table.engine.doubts)
    key = person(table.profiles)
    counted = table.profiles[0].rows if key is None else key.values
    k = _bearable(counted)
    if key is not None:
        text = f"it looks like a key of people: {key.found}."
        way = (
            f"So k counts people: `entity: {key.name}` in `privacy`. If its values do not"
            " identify people, remove `entity`."
        )
        warnings.append(Problem(f"columns.{key.name}", text, way))
    elif (people := _repeating(table, decisions, k)) is not None:
        warnings.append(people.warning)
    warnings += [pair.warning for pair in pairs(table.engine, table.relation, decisions)]
    return Proposal(decisions, warnings, k, counted, None if key is None else key.name)


def _bearable(counted: int) -> int:
    """Return the greatest usual k that divides ``counted`` rows or people into several classes."""
    return next((k for k in _KS if counted >= _CLASSES * k), _KS[-1])


def _repeating(table: Looked, decisions: Sequence[Decision], k: int) -> Repeating | None:
    """Return the removed column by which several rows may be one person, where there is one."""
    removed, known = (
        [decision.profile.column for decision in decisions if decision.role == role]
        for role in ("identifying", "quasi-identifying")
    )
    return repeating(table.engine, table.relation, removed, known, k=k)


def require_new(output: Path) -> None:
    """Raise PolicyError where the policy's file is there already."""
    if output.exists():
        raise PolicyError.at(
            str(output),
            "this file already exists.",
            "Name another file with -o, or remove this one.",
        )


def write(output: Path, text: str) -> None:
    """Write a policy; raise PolicyError where that cannot be done."""
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PolicyError.at(
            str(output), f"the policy cannot be written: {error.strerror}.", "Choose another place."
        ) from None


def source_of(
    database: str, table: str | None, header: bool | list[str] | None
) -> tuple[Location, Source]:
    """Return the location of the table; raise PolicyError if a database is named without one."""
    path = Path(database).expanduser().absolute()
    if table is None and _SERVER.match(database):
        raise PolicyError.at(
            "TABLE",
            f"{without_secrets(database)} is a database: name one of its tables.",
            f"Give the table's name after the URL{_SEVERAL}",
        )
    if table is None and path.is_file() and database_files.is_database(path):
        raise PolicyError.at(
            "TABLE",
            f"{path} is a database: name one of its tables.",
            f"Give the table's name after the file{_SEVERAL}",
        )
    if table is None:
        return Location("file", path), Source(file=str(path), header=header)
    location = places.database(
        database, "DATABASE", lambda text: Path(text).expanduser().absolute()
    )
    return location, Source(database=database, table=table)


@contextmanager
def opened(location: Location, source: Source) -> Iterator[Looked]:
    """Open a table and look at its columns."""
    with private_memory(), scratch() as folder:
        context = Context(folder, EngineSettings(), Journal(), purpose="anonsql init")
        with closing(open_engine(location, context)) as engine:
            found = engine.find_source(source)
            relation = engine.open_source(found.source)
            profiles = [
                replace(
                    profile,
                    notes=[*found.notes.get(profile.column.name, ()), *profile.notes],
                    unnamed=profile.column.name in found.unnamed,
                )
                for profile in profiles_of(engine, relation)
            ]
            yield Looked(engine, relation, profiles, found.source)


def require_rows(table: Looked) -> None:
    """Raise PolicyError where the table has no rows: no proposal could be made from them."""
    if not table.profiles or not table.profiles[0].rows:
        raise PolicyError.at(
            "TABLE", "it has no rows, so there is nothing to propose.", "Name another table."
        )


def given_place(database: str, location: Location, output: Path) -> str:
    """Return the source as the policy names it: files under the policy's folder by relative paths,
    URLs without a password."""
    if location.is_file:
        folder = output.absolute().parent
        inside = location.path.is_relative_to(folder)
        file = str(location.path.relative_to(folder) if inside else location.path)
        url = location.database.file_url
        return f"{url}{quote(file)}" if url else file
    return without_secrets(database, "${DATABASE_PASSWORD}")


def profiles_of(engine: Engine, relation: Relation, table: str = "") -> list[Profile]:
    """Return the profiles of a table's columns; ``table`` is its name in a policy of several
    tables, with a dot at its end."""
    columns = engine.columns(relation)
    numbers = engine.query("risks/kept/columns", relation=relation, columns=columns)
    forms = _forms(engine, relation, columns)
    few = [
        column
        for column, row in zip(columns, numbers, strict=True)
        if column.kind != "text" or 1 < row[3] <= _DISTINCT
    ]
    messes = mess.look(engine, relation, few)
    standing = {
        name: one.apart for name, some in messes.items() for one in some if one.apart is not None
    }
    quantiles = _quantiles(engine, relation, columns, standing)
    of_people = {key.name: key for key in keys(engine, relation, columns, columns)}
    held = contents.look(engine, relation, columns, int(numbers[0][1]) if numbers else 0)
    return [
        replace(
            Profile(*(column, *row[1:])),
            form=_form(column, forms.get(column.name, ()), row[1] - row[2]),
            held=held.get(column.name),
            quantiles=quantiles.get(column.name),
            key=of_people.get(column.name),
            notes=[one.note(f"{table}{column.name}") for one in messes.get(column.name, ())],
            apart=standing.get(column.name),
        )
        for column, row in zip(columns, numbers, strict=True)
    ]


def _form(column: Column, counts: Sequence[int], values: int) -> Form | None:
    """Return the form of all values. Codes without a point that begin with one letter are of
    diagnoses only where the name says so: A01 to A12 may be anything."""
    if not counts:
        return None
    beginnings, points, *matching = counts
    form = recognize(matching, values)
    alike = beginnings == 1 and not points
    if form is None or form.name != ICD_10 or not alike:
        return form
    return form if DIAGNOSIS.search(words_of(column.name)) else None


def _quantiles(
    engine: Engine,
    relation: Relation,
    columns: Sequence[Column],
    standing: Mapping[str, mess.Apart],
) -> dict[str, Quantiles]:
    wanted = [column for column in columns if column.kind in NUMBERS]
    if not wanted:
        return {}
    left_out = {name: list(found.values.values()) for name, found in standing.items()}
    parameters = {"relation": relation, "columns": wanted, "shares": SHARES, "apart": left_out}
    return {
        column.name: Quantiles(tuple(map(float, values)))
        for column, (_, *values) in zip(
            wanted, engine.query("risks/kept/quantiles", **parameters), strict=True
        )
        if values[0] is not None
    }


def _forms(
    engine: Engine, relation: Relation, columns: Sequence[Column]
) -> dict[str, Sequence[int]]:
    texts = [column for column in columns if column.kind == "text"]
    if not texts:
        return {}
    counts = engine.query(
        "risks/kept/forms",
        relation=relation,
        columns=texts,
        expressions=[form.expression for form in FORMS],
    )
    return {column.name: row[1:] for column, row in zip(texts, counts, strict=True)}
