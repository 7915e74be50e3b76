"""The YAML text of a proposed policy, with comments of at most 100 columns."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anonsql.errors import Problem
from anonsql.features.init.families import joined
from anonsql.features.init.proposals import Decision, Profile
from anonsql.policy.source import CSV_OPTIONS, Source
from anonsql.policy.yaml_text import quoted

_WIDTH = 100
_CODE, _JOIN = re.compile(r"`[^`]*`"), "\0"  # which is never shown
_PROPOSED = (
    "A policy for anonsql, proposed from counts alone. Read every line: only you know which"
    " columns can be linked to a person. Decide the roles that are left open; `anonsql check`"
    " lists what is missing."
)
_OPEN = (
    "UNDECIDED: identifying, quasi-identifying, semi-sensitive, sensitive, insensitive or weight?"
)
_NO_HIERARCHY = "UNDECIDED: which hierarchy? The comment above each column suggests one:"
_FOUND = "How the file is written was inferred from its values: correct what is wrong."
_USUAL_K = 10
_FEWEST = 4  # rows, or people, for two classes of two
_METHOD = (
    "Each cell is released unchanged, or as a group that contains it, which is best for"
    " statistics and models. For one level per column, as dashboards and joins need: {type:"
    " full-domain}."
)
_KNOWN = "The comment above a column says what to write if others may know it."


@dataclass(frozen=True)
class Proposal:
    """What is proposed for one table: columns, warnings, the ``k``, of how many rows, or people, it
    makes classes, and the column by which it counts people."""

    decisions: Sequence[Decision]
    warnings: Sequence[Problem]
    k: int
    counted: int
    entity: str | None = None


def shown(name: str) -> str:
    """Return a name as a terminal may show it, with unprintable characters escaped."""
    return "".join(
        entry if entry.isprintable() else entry.encode("unicode_escape").decode() for entry in name
    )


def comment(text: str, indent: str = "") -> Iterator[str]:
    """Yield the lines of a comment; unprintable characters are escaped. Text in backquotes, to be
    pasted, is not divided."""
    start = f"{indent}# "
    whole = _CODE.sub(lambda code: code[0].replace(" ", _JOIN), shown(" ".join(text.split())))
    lines = textwrap.wrap(
        whole,
        _WIDTH,
        initial_indent=start,
        subsequent_indent=start,
        break_long_words=False,
        break_on_hyphens=False,
    )
    yield from (line.replace(_JOIN, " ") for line in lines)


def policy_text(proposal: Proposal, location: str, source: Source) -> str:
    """Return the policy for a table or a file."""
    name, stem = names_of(location, source.table)
    database, released = quoted(f"{stem}_released.duckdb"), quoted(f"{name}_released")
    lines = [
        *comment(_PROPOSED),
        *source_lines(location, source),
        f"release: {{database: {database}, table: {released}}}",
        *body(proposal),
    ]
    return "\n".join(lines) + "\n"


def source_lines(location: str, source: Source) -> Iterator[str]:
    """Yield the lines of the source; of a CSV file, with how it is written."""
    if source.table is not None:
        yield f"source:  {{database: {quoted(location)}, table: {quoted(source.table)}}}"
        return
    settings = source.model_dump(include={*CSV_OPTIONS, "columns"}, exclude_defaults=True)
    settings["columns"] = {
        name: {field: value for field, value in column.items() if value is not None}
        for name, column in settings.get("columns", {}).items()
    }
    entries = [f"file: {quoted(location)}"]
    entries += [f"{name}: {_flow(value)}" for name, value in settings.items() if value != {}]
    line = f"source:  {{{', '.join(entries)}}}"
    if set(settings) - {"header", "columns"} or settings["columns"]:
        removed = " `trim` removes blanks around values and names." if source.trim else ""
        yield from comment(_FOUND + removed)
    if len(line) <= _WIDTH:
        yield line
        return
    yield "source:"
    yield from (f"  {entry}" for entry in entries)


def _flow(value: object) -> str:
    """Return a setting as YAML on one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{quoted(name)}: {_flow(each)}' for name, each in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, str):
        return quoted(value)
    return str(value).lower()


def names_of(location: str, table: str | None) -> tuple[str, str]:
    """Return the name of the source, and the beginning of the release's file name."""
    name = table.split(".")[-1] if table else Path(location).stem
    on_server = "://" in location or location.startswith("local[")
    return name, name if on_server else Path(location).stem


def frame_text(proposal: Proposal) -> str:
    """Return the policy for a frame, which has neither source nor release."""
    return "\n".join([*comment(_PROPOSED), *body(proposal)]) + "\n"


def body(proposal: Proposal) -> Iterator[str]:
    """Yield the lines of a policy from its columns on."""
    yield from undecided(proposal.decisions)
    yield "columns:"
    for decision in joined(proposal.decisions):
        yield from column_lines(decision)
    counted = "rows" if proposal.entity is None else f"people ({shown(proposal.entity)})"
    yield from comment(
        f"Every released combination of quasi-identifying values belongs to at least k {counted};"
        " up to this share of the rows may be suppressed for it."
    )
    yield from comment(_enough(proposal))
    for warning in proposal.warnings:
        yield from comment(str(warning))
    entity = "" if proposal.entity is None else f", entity: {quoted(proposal.entity)}"
    yield f"privacy: {{k: {proposal.k}{entity}, suppression_limit: 0.01}}"
    yield from comment(_METHOD)
    yield "method:  {type: cell-generalization, effort: 4}"


def _enough(proposal: Proposal) -> str:
    who = "rows" if proposal.entity is None else "people"
    if proposal.counted < _FEWEST:
        return (
            f"The table has {proposal.counted} {who}: too few for k-anonymity. A release of it"
            " shows almost nothing, or reveals the people."
        )
    if proposal.k < _USUAL_K:
        return (
            f"k is {proposal.k}: with {proposal.counted} {who}, a larger k would hide nearly"
            " everything."
        )
    return ""


def undecided(decisions: Sequence[Decision], indent: str = "") -> Iterator[str]:
    """Yield comments that name the columns without a role, and those without a hierarchy."""
    decisions = joined(decisions)
    roles = [shown(one.name) for one in decisions if one.role == "null"]
    if roles:
        yield from comment(f"{_OPEN} {', '.join(roles)}. {_KNOWN}", indent)
    hierarchies = [
        shown(one.name) for one in decisions if one.hierarchy == "null" and one.role != "null"
    ]
    if hierarchies:
        yield from comment(f"{_NO_HIERARCHY} {', '.join(hierarchies)}.", indent)


def notes(profile: Profile, indent: str) -> Iterator[str]:
    """Yield comments on how a column is written."""
    for note in profile.notes:
        yield from comment(f"{note[0].upper()}{note[1:]}.", indent)


def column_lines(decision: Decision, indent: str = "  ") -> Iterator[str]:
    """Yield the lines of one column."""
    profile, role = decision.profile, decision.role
    yield from comment(f"{decision.words()}. {decision.why}", indent)
    yield from notes(profile, indent)
    hierarchy = decision.hierarchy
    if role == "null":
        if hierarchy != "null":
            known = f"{{role: quasi-identifying, hierarchy: {hierarchy}}}"
            start = f"{indent}# If known:"
            fits = len(start) + 1 + len(known) <= _WIDTH
            yield from [f"{start} {known}"] if fits else [start, f"{indent}# {known}"]
        hierarchy = ""
    inner = f"role: {role}" + (f", hierarchy: {hierarchy}" if hierarchy else "")
    yield f"{indent}{quoted(decision.name)}: {{{inner}}}"
