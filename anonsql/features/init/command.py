"""``anonsql init``: profile a table and write a commented policy for its owner to finish.

Every proposal says why it is made; what cannot be inferred is left open, and ``check`` names it.
The policy holds counts and types, never a value of the table.
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
from anonsql.features.anonymize.command import FRAME, written
from anonsql.features.check.command import check
from anonsql.features.init.dialogue import Talk, decide, number_of_rows, shown
from anonsql.features.init.document import InitReport
from anonsql.features.init.proposals import Decision, Option, Profile, propose
from anonsql.hierarchies import drawn_files as hierarchy_files
from anonsql.hierarchies.patterns import FORMS, Rows, recognize
from anonsql.jobs.workspace import private_memory, scratch
from anonsql.masking import without_secrets
from anonsql.policy import locations as places
from anonsql.policy.locations import Location
from anonsql.policy.policy import EngineSettings
from anonsql.policy.source import Source
from anonsql.policy.yaml_text import quoted
from anonsql.presentation.documents import finding
from anonsql.risks.contents import problems as contents
from anonsql.risks.repeated_people import repeating
from anonsql.system import database_files
from anonsql.system.journal import Journal

_SERVER = re.compile(r"[A-Za-z][A-Za-z0-9+]*://|local\[")
_K = 10
_SEVERAL = ", or for several that belong together --of the one whose rows are people."


@dataclass(frozen=True)
class _Table:
    """A table that was looked at: the engine that reads it, and what it is like."""

    engine: Engine
    relation: Relation
    profiles: list[Profile]


def init(
    database: str,
    table: str | None,
    output: Path,
    header: bool | None = None,
    talk: Talk | None = None,
) -> InitReport:
    """Profile a table (or, without ``table``, a CSV or Parquet file; ``header`` is written into the
    policy's source) and write a policy to ``output``, which must not exist. With ``talk`` the
    table's owner is asked about every column, and the policy is checked at the end."""
    require_new(output)
    location, source = _source(database, table, header)
    rows_of: dict[str, Rows] = {}
    k = _K
    with _opened(location, source) as result:
        _require_rows(result)
        if talk is None:
            decisions = [proposed(profile) for profile in result.profiles]
        else:
            decisions = _asked(result, talk)
            rows_of = _drawn(result, decisions)
            rows = result.profiles[0].rows
            usual = next(number for number in (_K, 5, 2) if number == 2 or rows >= 10 * number)
            k = number_of_rows(rows, usual, talk)
        warnings = [*result.engine.doubts, *_repeating(result, decisions, k)]
    files = hierarchy_files.write(rows_of, output.absolute().parent)
    words = given_place(database, location, output)
    text = _policy_text(
        words,
        table,
        decisions,
        warnings=warnings,
        header=header,
        files=files,
        k=k,
        asked=talk is not None,
    )
    try:
        write(output, text)
    except PolicyError:
        for file in files.values():
            file.unlink(missing_ok=True)
        raise
    return InitReport(
        policy=str(output),
        columns=len(decisions),
        undecided=[
            decision.profile.column.name for decision in decisions if "UNDECIDED" in decision.why
        ],
        warnings=[finding(warning) for warning in warnings],
        hierarchies=[str(path) for path in files.values()],
        problems=[] if talk is None else check(output).problems,
        asked=talk is not None,
    )


def of_frame(table: object) -> str:
    """Return the policy that is proposed for a data frame, as YAML, without source and release: see
    :func:`anonsql.api.init`."""
    with scratch() as folder:
        file = written(table, folder)
        source = Source(database=str(file), table=FRAME)
        with _opened(Location("duckdb", file), source) as policy:
            _require_rows(policy)
            decisions = [proposed(profile) for profile in policy.profiles]
            warnings = _repeating(policy, decisions, _K)
    return "\n".join([*_PROPOSED, *_decided(decisions, {}, warnings, _K)]) + "\n"


def _repeating(table: _Table, decisions: Sequence[Decision], k: int) -> list[Problem]:
    """Return the warning that several rows may be one person, where a column says so."""
    names = ("identifying", "quasi-identifying")
    removed, known = (
        [decision.profile.column for decision in decisions if decision.role == role]
        for role in names
    )
    others = [decision.profile.column for decision in decisions if decision.role not in names]
    people = repeating(table.engine, table.relation, removed, known, others, k=k)
    return [] if people is None else [people.warning]


def require_new(output: Path) -> None:
    """Raise PolicyError where the policy's file is there already."""
    if output.exists():
        raise PolicyError.at(
            str(output), "this file exists already.", "Name another with -o, or remove it."
        )


def write(output: Path, text: str) -> None:
    """Write a policy; raise PolicyError where that cannot be done."""
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PolicyError.at(
            str(output), f"the policy cannot be written: {error.strerror}.", "Choose another place."
        ) from None


def _source(database: str, table: str | None, header: bool | None) -> tuple[Location, Source]:
    """Return where the table lies; raise PolicyError where a database is named without one."""
    path = Path(database).expanduser().absolute()
    if table is None and _SERVER.match(database):
        raise PolicyError.at(
            "TABLE",
            f"{without_secrets(database)} is a database: which of its tables?",
            f"Give the table's name after the URL{_SEVERAL}",
        )
    if table is None and path.is_file() and database_files.is_database(path):
        raise PolicyError.at(
            "TABLE",
            f"{path} is a database: which of its tables?",
            f"Give the table's name after the file{_SEVERAL}",
        )
    if table is None:
        return Location("file", path), Source(file=str(path), header=header)
    location = places.database(
        database, "DATABASE", lambda text: Path(text).expanduser().absolute()
    )
    return location, Source(database=database, table=table)


@contextmanager
def _opened(location: Location, source: Source) -> Iterator[_Table]:
    """Open a table and look at its columns."""
    with private_memory(), scratch() as folder:
        context = Context(folder, EngineSettings(), Journal(), purpose="anonsql init")
        with closing(open_engine(location, context)) as engine:
            relation = engine.open_source(source)
            yield _Table(engine, relation, profiles_of(engine, relation))


def profiles_of(engine: Engine, relation: Relation) -> list[Profile]:
    """Return what the columns of a table are like."""
    columns = engine.columns(relation)
    numbers = engine.query("risks/kept/columns", relation=relation, columns=columns)
    forms = _forms(engine, relation, columns)
    held = contents.look(engine, relation, columns, int(numbers[0][1]) if numbers else 0)
    return [
        replace(
            Profile(*(column, *row[1:], recognize(forms.get(column.name, ()), row[1] - row[2]))),
            held=held.get(column.name),
        )
        for column, row in zip(columns, numbers, strict=True)
    ]


def _forms(
    engine: Engine, relation: Relation, columns: Sequence[Column]
) -> dict[str, Sequence[int]]:
    """Return how many values of each column of text have each of the known forms."""
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


def proposed(profile: Profile) -> Decision:
    """Return what is proposed where nobody is asked; what cannot be inferred is left open."""
    role, hierarchy, why = propose(profile)
    return Decision(profile, role, why, Option("", hierarchy) if hierarchy else None)


def _require_rows(table: _Table) -> None:
    """Raise PolicyError where the table has no rows: no proposal could be made from them."""
    if not table.profiles or not table.profiles[0].rows:
        raise PolicyError.at(
            "TABLE", "it has no rows, so there is nothing to propose.", "Name another table."
        )


def _asked(table: _Table, talk: Talk) -> list[Decision]:
    """Return what the table's owner decides."""

    def alone(names: Sequence[str]) -> int:
        found_rows = table.engine.query(
            "risks/kept/alone", relation=table.relation, names=list(names)
        )
        return int(found_rows[0][0])

    return decide(table.profiles, alone, talk)


def _drawn(table: _Table, decisions: Sequence[Decision]) -> dict[str, Rows]:
    """Return the hierarchies that are drawn from values, by column."""
    drawn: dict[str, Rows] = {}
    for decision in decisions:
        form = decision.option.form if decision.option is not None else None
        if form is not None:
            name = decision.profile.column.name
            leaves = table.engine.query("risks/kept/leaves", relation=table.relation, name=name)
            drawn[name] = form.draw([str(value) for (value,) in leaves])
    return drawn


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


_PROPOSED = (
    "# A policy for anonsql, proposed from counts alone. Read every line: only you know which"
    " columns can be linked",
    "# to a person. Columns whose role is left open must be decided; `anonsql check` tells what is"
    " missing.",
)
_DECIDED = (
    "# A policy for anonsql, as its table's owner decided on every column. Read it once more: only"
    " you know which",
    "# columns can be linked to a person.",
)


def _policy_text(
    location: str,
    table: str | None,
    decisions: Sequence[Decision],
    *,
    warnings: Sequence[Problem],
    header: bool | None,
    files: Mapping[str, Path],
    k: int,
    asked: bool,
) -> str:
    """Return the policy; ``files`` are the hierarchies that were written, by column, and ``asked``
    is whether the table's owner decided."""
    header_text = "" if header is None else f", header: {str(header).lower()}"
    source = (
        f"{{file: {quoted(location)}{header_text}}}"
        if table is None
        else f"{{database: {quoted(location)}, table: {quoted(table)}}}"
    )
    name = table.split(".")[-1] if table else Path(location).stem
    stem = name if "://" in location or location.startswith("local[") else Path(location).stem
    lines = [
        *(_DECIDED if asked else _PROPOSED),
        f"source:  {source}",
        *(
            ["# Hierarchies drawn from the table are not released: they name its values."]
            * bool(files)
        ),
        (
            f"release: {{database: {quoted(stem + '_released.duckdb')}, table:"
            f" {quoted(name + '_released')}{', hierarchies: false' if files else ''}}}"
        ),
        *_decided(decisions, files, warnings, k),
    ]
    return "\n".join(lines) + "\n"


def _decided(
    decisions: Sequence[Decision],
    files: Mapping[str, Path],
    warnings: Sequence[Problem],
    k: int,
) -> list[str]:
    """Return the lines of a policy from its columns on."""
    lines = ["columns:"]
    for decision in decisions:
        lines += proposed_column(decision, files.get(decision.profile.column.name))
    return [
        *lines,
        (
            "# Every released combination of quasi-identifying values belongs to at least k rows;"
            " up to this share of the rows"
        ),
        "# may be left out for it.",
        *(f"# {shown(' '.join(str(warning).split()))}" for warning in warnings),
        f"privacy: {{k: {k}, suppression_limit: 0.01}}",
        "method:  {type: full-domain, minimize: loss}",
    ]


def proposed_column(decision: Decision, file: Path | None = None) -> Iterator[str]:
    """Yield the lines of one column, indented as in a policy of one table; ``file`` is the
    hierarchy that was drawn from its values, where one was."""
    profile, role = decision.profile, decision.role
    yield f"  # {profile.words()}. {decision.why}"
    hierarchy = decision.option.text if decision.option is not None else ""
    if file is not None:
        yield "  # Drawn from the table: the file names its values."
        hierarchy = f"{{type: file, path: {quoted(file.name)}}}"
    if role == "null":
        if hierarchy != "null":
            known = f"{{role: quasi-identifying, hierarchy: {hierarchy}}}"
            yield f"  # If others may know it: {known}"
        hierarchy = ""
    inner = f"role: {role}" + (f", hierarchy: {hierarchy}" if hierarchy else "")
    yield f"  {quoted(profile.column.name)}: {{{inner}}}"
