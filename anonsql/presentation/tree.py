"""What a command says of its document: parts that a terminal, a page and a notebook show, each in
its own way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from anonsql.presentation.numbers import Number

if TYPE_CHECKING:  # documents load more than a terminal needs
    from anonsql.presentation.documents import Finding

Tone = Literal["plain", "good", "warn", "bad", "quiet"]
Reader = Literal["all", "page", "terminal", "verbose"]
"""Where a part is shown; ``verbose`` is all but a terminal without `--verbose`."""
Spec = dict[str, Any]
"""A chart, or a part of it, in Vega-Lite."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """What all parts are."""

    kind: ClassVar[str]
    on: Reader = "all"

    def is_for(self, reader: Reader) -> bool:
        """Return whether the part is for a reader, or for all."""
        return self.on in ("all", reader) or (self.on == "verbose" and reader == "page")


@dataclass(frozen=True)
class Sentence(Part):
    """A paragraph that begins with an emphasised ``lead``."""

    kind = "sentence"
    text: str
    lead: str = ""
    tone: Tone = "plain"


@dataclass(frozen=True)
class Figures(Part):
    """A table. A column with a number in it is right-aligned."""

    kind = "figures"
    headings: Sequence[str]
    rows: Sequence[Sequence[object]]

    @property
    def numeric(self) -> list[bool]:
        """Whether each column has numbers."""
        return [any(_is_number(row[at]) for row in self.rows) for at in range(len(self.headings))]


def _is_number(entry: object) -> bool:
    return isinstance(entry, (int, float, Number)) and not isinstance(entry, bool)


@dataclass(frozen=True)
class Chart(Part):
    """A chart (Vega-Lite, its data inside), its message, and the same figures as a table. ``name``
    is its id in a page: letters, digits and hyphens."""

    kind = "chart"
    name: str
    title: str
    says: str
    spec: Spec
    figures: Figures


@dataclass(frozen=True)
class Code(Part):
    """A statement or a piece of a policy, to be copied. A page shows a ``long`` one in a frame that
    scrolls."""

    kind = "code"
    text: str
    long: bool = False


@dataclass(frozen=True)
class Section(Part):
    """Parts that belong together. A wide page shows adjacent ones with ``beside`` in two columns,
    and ``folded`` ones on demand; ``opened`` ones are open at first. Links of a page lead to a
    section by its ``name``."""

    kind = "section"
    title: str
    parts: Sequence[Part]
    beside: bool = False
    folded: bool = False
    opened: bool = False
    name: str = ""


def has_chart(parts: Iterable[Part]) -> bool:
    """Return whether a page of the parts has a chart."""
    return any(
        isinstance(part, Chart) or (isinstance(part, Section) and has_chart(part.parts))
        for part in parts
    )


def chart(
    name: str, title: str, says: str, spec: Spec, figures: Figures, *, on: Reader = "all"
) -> Chart:
    """Return a chart that is as wide as its place."""
    whole = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}, **spec}
    return Chart(name=name, title=title, says=says, spec=whole, figures=figures, on=on)


def axis(title: str | None, form: str | None = None, **more: Any) -> Spec:
    """Return an axis with a title, its numbers in a form of d3."""
    return {"title": title, **({"format": form} if form else {}), **more}


def findings(word: str, tone: Tone, found: Iterable[Finding]) -> list[Sentence]:
    """Return problems or warnings, each with its remedy; equal ones of several places as one."""
    places: dict[tuple[str, str], list[str]] = {}
    for finding in found:
        places.setdefault((finding.message, finding.remedy), []).append(finding.where)
    return [
        Sentence(
            f"{f' ({len(where)})' if len(where) > 1 else ''}: {message} {remedy}".rstrip(),
            f"{word} {', '.join(where)}",
            tone,
        )
        for (message, remedy), where in places.items()
    ]
