"""``anonsql init``: profile a table and write a commented policy for its owner to finish.

Every proposal says why it is made; what cannot be inferred is left open, and ``check`` names it.
The policy holds counts and types, never a value of the table.
"""

from __future__ import annotations

import math
import re
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from anonsql.engines import open_engine
from anonsql.engines.base import Column, Context
from anonsql.errors import PolicyError, Problem
from anonsql.jobs.reports import finding
from anonsql.jobs.workspace import private_memory, scratch
from anonsql.masking import without_secrets
from anonsql.policy import locations as places
from anonsql.policy.locations import Location
from anonsql.policy.policy import EngineSettings
from anonsql.policy.source import Source
from anonsql.policy.yaml_text import quoted
from anonsql.report.documents import InitReport
from anonsql.risks.repeated_people import repeating
from anonsql.system import database_files
from anonsql.system.journal import Journal

_IDENTIFYING = re.compile(
    r"(^|_)(id|uuid|guid|ssn|name|names|surname|email|mail|phone|mobile|passport|licen[cs]e|"
    r"iban|account|ip|address|street|"
    r"vorname|vornamen|nachname|familienname|geburtsname|telefon|telefonnummer|handy|mobil|fax|"
    r"stra(ß|ss)e|hausnummer|adresse|anschrift|ausweis|kennzeichen|"
    r"(kunden|patienten|personal|mitglieds|versicherten|versicherungs|konto|steuer|ausweis)"
    r"_?(nr|nummer))(_|$)"
)
_QUASI = re.compile(
    r"(^|_)(age|sex|gender|race|ethnicity|zip|zipcode|postcode|postal|city|state|county|region|"
    r"country|nationality|birth|birthdate|birthday|dob|born|marital|education|occupation|job|"
    r"profession|workclass|language|religion|height|weight|visited|admitted|date|"
    r"alter|geschlecht|geburtstag|geburtsjahr|geburtsort|geboren|[^_]*datum|plz|postleitzahl|"
    r"ort|wohnort|stadt|gemeinde|kreis|landkreis|bundesland|land|staat|"
    r"nationalit(ä|ae)t|staatsangeh(ö|oe)rigkeit|familienstand|bildung|schulabschluss|beruf|"
    r"sprache|konfession|gr(ö|oe)(ß|ss)e|gewicht)(_|$)"
)
_SENSITIVE = re.compile(
    r"(^|_)(disease|diagnosis|condition|illness|salary|income|wage|debt|score|hiv|medication|"
    r"treatment|crime|"
    r"krankheit|diagnose|befund|einkommen|gehalt|lohn|schulden|medikament|behandlung)(_|$)"
)
"""Words of English and German names; of several words any one counts."""
_SERVER = re.compile(r"[A-Za-z][A-Za-z0-9+]*://|local\[")
_FEW = 20
_K = 10


@dataclass(frozen=True)
class Profile:
    """One column in numbers: rows, NULLs, distinct values, text lengths, all-digit values, range
    (days for dates)."""

    column: Column
    rows: int
    nulls: int
    distinct: int
    shortest: int
    longest: int
    digits: int
    spread: float | None

    @property
    def unique(self) -> bool:
        """Whether every value other than NULL occurs once."""
        return self.distinct == self.rows - self.nulls > 1

    def words(self) -> str:
        """Return the profile as a comment."""
        kept = [self.column.family, f"{self.distinct:,} distinct in {self.rows:,} rows"]
        return ", ".join(
            kept
            + ([f"{self.nulls:,} NULL"] if self.nulls else [])
            + (["unique"] if self.unique else [])
        )


def init(database: str, table: str | None, output: Path, header: bool | None = None) -> InitReport:
    """Profile a table (or, without ``table``, a CSV or Parquet file; ``header`` is written into the
    policy's source) and write a policy to ``output``, which must not exist."""
    if output.exists():
        raise PolicyError.at(
            str(output), "this file exists already.", "Name another with -o, or remove it."
        )
    path = Path(database).expanduser().absolute()
    if table is None and _SERVER.match(database):
        raise PolicyError.at(
            "TABLE",
            f"{without_secrets(database)} is a database: which of its tables?",
            "Give the table's name after the URL.",
        )
    if table is None and path.is_file() and database_files.is_database(path):
        raise PolicyError.at(
            "TABLE",
            f"{path} is a database: which of its tables?",
            "Give the table's name after the file.",
        )
    place = (
        Location("file", path)
        if table is None
        else places.database(database, "DATABASE", lambda text: Path(text).expanduser().absolute())
    )
    source = (
        Source(file=str(path), header=header)
        if table is None
        else Source(database=database, table=table)
    )
    with private_memory(), scratch() as folder:
        context = Context(folder, EngineSettings(), Journal(), purpose="anonsql init")
        with closing(open_engine(place, context)) as engine:
            relation = engine.open_source(source)
            columns = engine.columns(relation)
            numbers = engine.query("risks/kept/columns", relation=relation, columns=columns)
            profiles = [
                Profile(column, *row[1:]) for column, row in zip(columns, numbers, strict=True)
            ]
            by_role = {
                role: [each.column for each in profiles if propose(each)[0] == role]
                for role in ("identifying", "quasi-identifying")
            }
            warnings = [*engine.doubts, *repeating(engine, relation, *by_role.values(), k=_K)]
    text = _policy_text(_given(database, place, output), table, profiles, warnings, header)
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PolicyError.at(
            str(output), f"the policy cannot be written: {error.strerror}.", "Choose another place."
        ) from None
    undecided = [each.column.name for each in profiles if "UNDECIDED" in propose(each)[2]]
    return InitReport(
        policy=str(output),
        columns=len(profiles),
        undecided=undecided,
        warnings=[finding(each) for each in warnings],
    )


def _given(database: str, place: Location, output: Path) -> str:
    """Return the source as the policy names it: files under the policy's folder by relative paths,
    URLs without a password."""
    if place.is_file:
        folder = output.absolute().parent
        inside = place.path.is_relative_to(folder)
        file = str(place.path.relative_to(folder) if inside else place.path)
        return f"sqlite:///{quote(file)}" if place.kind == "sqlite" else file
    return without_secrets(database, "${DATABASE_PASSWORD}")


def _policy_text(
    place: str,
    table: str | None,
    profiles: list[Profile],
    warnings: list[Problem],
    header: bool | None = None,
) -> str:
    header_text = "" if header is None else f", header: {str(header).lower()}"
    source = (
        f"{{file: {quoted(place)}{header_text}}}"
        if table is None
        else f"{{database: {quoted(place)}, table: {quoted(table)}}}"
    )
    name = table.split(".")[-1] if table else Path(place).stem
    stem = name if "://" in place or place.startswith("local[") else Path(place).stem
    lines = [
        (
            "# A policy for anonsql, proposed from counts alone. Read every line: only you know"
            " which columns can be linked"
        ),
        (
            "# to a person. Columns whose role is left open must be decided; `anonsql check` tells"
            " what is missing."
        ),
        f"source:  {source}",
        (
            f"release: {{database: {quoted(stem + '_released.duckdb')}, table:"
            f" {quoted(name + '_released')}}}"
        ),
        "columns:",
    ]
    for profile in profiles:
        role, hierarchy, why = propose(profile)
        lines.append(f"  # {profile.words()}. {why}")
        if role == "null":
            if hierarchy != "null":
                known = f"{{role: quasi-identifying, hierarchy: {hierarchy}}}"
                lines.append(f"  # If others may know it: {known}")
            hierarchy = ""
        inner = f"role: {role}" + (f", hierarchy: {hierarchy}" if hierarchy else "")
        lines.append(f"  {quoted(profile.column.name)}: {{{inner}}}")
    lines += [
        (
            "# Every released combination of quasi-identifying values belongs to at least k rows;"
            " up to this share of the rows"
        ),
        "# may be left out for it.",
        *(f"# {' '.join(str(each).split())}" for each in warnings),
        f"privacy: {{k: {_K}, suppression_limit: 0.01}}",
        "method:  {type: full-domain, minimize: loss}",
    ]
    return "\n".join(lines) + "\n"


def propose(profile: Profile) -> tuple[str, str, str]:
    """Return a role, a hierarchy and the reason; an empty role (``null``) where neither counts nor
    the name suggest one, with the hierarchy that the column would have as quasi-identifying."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", profile.column.name)
    words = re.sub(r"[\W_]+", "_", spaced.lower())
    if _IDENTIFYING.search(words):
        return "identifying", "", "Removed: the name suggests that it points to one person."
    if _SENSITIVE.search(words):
        return (
            "sensitive",
            "",
            (
                "Kept as it is: the name suggests what the release is about. Quasi-identifying if"
                " others know it."
            ),
        )
    if _QUASI.search(words):
        hierarchy, why = _hierarchy(profile)
        return "quasi-identifying", hierarchy, f"The name suggests something others know. {why}"
    if profile.unique and profile.column.kind in ("text", "integer") and profile.rows > 1:
        return (
            "identifying",
            "",
            "Removed: every value occurs once, as an identifier's would. Change it if it is none.",
        )
    return (
        "null",
        _hierarchy(profile)[0],
        "UNDECIDED: identifying, quasi-identifying, semi-sensitive, sensitive or insensitive?",
    )


def _hierarchy(profile: Profile) -> tuple[str, str]:
    """Return a hierarchy for a quasi-identifying column, and why."""
    kind = profile.column.kind
    if kind in ("date", "timestamp"):
        levels = (
            "[month, quarter, year]" if (profile.spread or 0) < 3653 else "[month, year, decade]"
        )
        return f"{{type: date, levels: {levels}}}", "Calendar units suit a date."
    if (
        kind in ("text", "integer")
        and profile.digits == profile.rows - profile.nulls
        and 4 <= profile.shortest == profile.longest <= 12
    ):
        return (
            f"{{type: mask, length: {profile.longest}}}",
            f"All values have {profile.longest} digits, like codes: mask from the right.",
        )
    if kind in ("integer", "decimal", "float") and profile.spread and profile.distinct > 5:
        unit = 5 * 10 ** max(-6, math.floor(math.log10(profile.spread / 10)))
        if kind == "integer":
            unit = max(unit, 2)
        widths = ", ".join(
            f"{width:.6f}".rstrip("0").rstrip(".") for width in (unit, unit * 2, unit * 4)
        )
        return (
            f"{{type: interval, widths: [{widths}]}}",
            "Intervals suit a number; the widths come from its range.",
        )
    if profile.distinct <= _FEW:
        return (
            "{type: suppression}",
            "Few values: keep or hide them all. A file or taxonomy of groups would keep more.",
        )
    return (
        "null",
        "UNDECIDED: many values; write a hierarchy `file` or `taxonomy` for them, or a `mask`.",
    )
