"""The YAML text of a proposed policy, with comments of at most 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anonsql.errors import Problem
from anonsql.features.init.dialogue import shown
from anonsql.features.init.proposals import Decision
from anonsql.policy.yaml_text import quoted

_WIDTH = 100
_PROPOSED = (
    "A policy for anonsql, proposed from counts alone. Read every line: only you know which columns"
    " can be linked to a person. Columns whose role is left open must be decided; `anonsql check`"
    " tells what is missing."
)
_DECIDED = (
    "A policy for anonsql, as its table's owner decided on every column. Read it once more: only"
    " you know which columns can be linked to a person."
)
_OPEN = (
    "UNDECIDED: identifying, quasi-identifying, semi-sensitive, sensitive, insensitive or weight?"
)
_METHOD = (
    "Each cell is released as it is, or as a group that it belongs to, which serves statistics and"
    " models. For one level per column, which dashboards and joins want: {type: full-domain}."
)
_KNOWN = "Above a column stands what to write if others may know it."


@dataclass(frozen=True)
class Proposal:
    """What is proposed for one table: the columns, what its owner should know besides, the ``k``,
    the column by which k counts people, and the ``files`` of hierarchies that were written, by
    column; ``asked`` is whether the owner decided."""

    decisions: Sequence[Decision]
    warnings: Sequence[Problem] = ()
    k: int = 10
    entity: str | None = None
    files: Mapping[str, Path] = field(default_factory=dict)
    asked: bool = False


def comment(text: str, indent: str = "") -> Iterator[str]:
    """Yield the lines of a comment; what is not printable in it is shown as its escape."""
    start = f"{indent}# "
    yield from textwrap.wrap(
        shown(" ".join(text.split())),
        _WIDTH,
        initial_indent=start,
        subsequent_indent=start,
        break_long_words=False,
        break_on_hyphens=False,
    )


def policy_text(
    proposal: Proposal, location: str, table: str | None, header: bool | None = None
) -> str:
    """Return the policy for a ``table`` of a database, or a file; ``header`` is whether a text
    file's first line names its columns."""
    header_text = "" if header is None else f", header: {str(header).lower()}"
    source = (
        f"{{file: {quoted(location)}{header_text}}}"
        if table is None
        else f"{{database: {quoted(location)}, table: {quoted(table)}}}"
    )
    name = table.split(".")[-1] if table else Path(location).stem
    stem = name if "://" in location or location.startswith("local[") else Path(location).stem
    drawn = bool(proposal.files)
    hidden = "Hierarchies drawn from the table are not released: they name its values."
    lines = [
        *comment(_DECIDED if proposal.asked else _PROPOSED),
        f"source:  {source}",
        *(comment(hidden) if drawn else ()),
        (
            f"release: {{database: {quoted(stem + '_released.duckdb')}, table:"
            f" {quoted(name + '_released')}{', hierarchies: false' if drawn else ''}}}"
        ),
        *body(proposal),
    ]
    return "\n".join(lines) + "\n"


def frame_text(proposal: Proposal) -> str:
    """Return the policy for a frame, which has neither source nor release."""
    return "\n".join([*comment(_PROPOSED), *body(proposal)]) + "\n"


def body(proposal: Proposal) -> Iterator[str]:
    """Yield the lines of a policy from its columns on."""
    yield from undecided(proposal.decisions)
    yield "columns:"
    for decision in proposal.decisions:
        yield from column_lines(decision, proposal.files.get(decision.profile.column.name))
    counted = "rows" if proposal.entity is None else f"people ({shown(proposal.entity)})"
    yield from comment(
        f"Every released combination of quasi-identifying values belongs to at least k {counted};"
        " up to this share of the rows may be left out for it."
    )
    for warning in proposal.warnings:
        yield from comment(str(warning))
    entity = "" if proposal.entity is None else f", entity: {quoted(proposal.entity)}"
    yield f"privacy: {{k: {proposal.k}{entity}, suppression_limit: 0.01}}"
    yield from comment(_METHOD)
    yield "method:  {type: cell-generalization, effort: 4}"


def undecided(decisions: Iterable[Decision], indent: str = "") -> Iterator[str]:
    """Yield one comment that names all columns whose role is left open."""
    names = [
        shown(decision.profile.column.name) for decision in decisions if decision.role == "null"
    ]
    if names:
        yield from comment(f"{_OPEN} {', '.join(names)}. {_KNOWN}", indent)


def column_lines(decision: Decision, file: Path | None = None, indent: str = "  ") -> Iterator[str]:
    """Yield the lines of one column; ``file`` is the hierarchy that was drawn from its values,
    where one was."""
    profile, role = decision.profile, decision.role
    yield from comment(f"{profile.words()}. {decision.why}", indent)
    hierarchy = decision.option.text if decision.option is not None else ""
    if file is not None:
        yield from comment("Drawn from the table: the file names its values.", indent)
        hierarchy = f"{{type: file, path: {quoted(file.name)}}}"
    if role == "null":
        if hierarchy != "null":
            known = f"{{role: quasi-identifying, hierarchy: {hierarchy}}}"
            yield from _one_or_two(f"{indent}# If known:", known, indent)
        hierarchy = ""
    inner = f"role: {role}" + (f", hierarchy: {hierarchy}" if hierarchy else "")
    yield f"{indent}{quoted(profile.column.name)}: {{{inner}}}"


def _one_or_two(start: str, known: str, indent: str) -> Iterator[str]:
    """Yield what a column could be, to be copied, in one line of a comment or on its own."""
    if len(start) + 1 + len(known) <= _WIDTH:
        yield f"{start} {known}"
    else:
        yield start
        yield f"{indent}# {known}"
