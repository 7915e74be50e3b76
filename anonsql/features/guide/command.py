"""The manual: pages of Markdown in ``anonsql/guide``, shown by ``anonsql guide``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from textwrap import shorten

from pydantic import BaseModel
from rich.console import Console
from rich.markdown import Markdown

from anonsql.errors import PolicyError, did_you_mean

FOLDER = Path(__file__).parents[2] / "guide"
INDEX = "index"
_MOST = 2
"""The lines of a page that a search shows."""
_LINE = 76
_LINK = re.compile(r"\[(?P<words>[^\]]+)\]\((?P<page>[a-z-]+)\.md(?:#[^)]*)?\)")


class Page(BaseModel):
    """A page of the manual, or its example table, as text."""

    topic: str
    text: str
    markdown: bool = True


def topics() -> list[str]:
    """Return the topics of the guide: the names of all pages but the index."""
    return sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != INDEX)


def page(topic: str | None = None) -> Page:
    """Return the page of a topic, or the index where none is given.

    Raise PolicyError, which names the nearest pages, where there is no such page.
    """
    name = topic.strip().lower().replace("_", "-").removesuffix(".md") if topic else INDEX
    known = topics()
    if name not in (*known, INDEX):
        near = _containing(name, known) or did_you_mean(name, known) or _mentioning(name, known)
        remedy = near or "`anonsql guide` lists all pages."
        raise PolicyError.at("TOPIC", f"there is no page {topic!r}.", remedy)
    return Page(topic=name, text=_text(name))


def search(word: str) -> Page:
    """Return the pages that contain a word, by its frequency: each with its title and the first
    lines that have the word. Raise PolicyError if none does."""
    text = word.strip().lower()
    matches = [(name, _lines_with(text, name)) for name in (INDEX, *topics())]
    matches = [(name, lines) for name, lines in matches if text and lines]
    if not matches:
        remedy = "`anonsql guide` lists all pages."
        raise PolicyError.at("--search", f"no page speaks of {word!r}.", remedy)
    matches.sort(key=lambda match: (text not in match[0], -len(match[1])))
    shown = [
        f"{name}: {_text(name).splitlines()[0].lstrip('# ')}\n"
        + "".join(f"    {shorten(line, _LINE, placeholder=' …')}\n" for line in lines[:_MOST])
        for name, lines in matches
    ]
    return Page(topic=word, text="".join(shown), markdown=False)


def _lines_with(text: str, name: str) -> list[str]:
    """Return the lines of a page that have a text, without their marks."""
    return [
        line.strip(" |#-")
        for line in _text(name).splitlines()
        if text in line.lower() and not line.startswith("<!--")
    ]


def example() -> Page:
    """Return the table of invented patients that the pages' examples use, as CSV."""
    text = (FOLDER / "patients.csv").read_text(encoding="utf-8")
    return Page(topic="patients.csv", text=text, markdown=False)


def show(console: Console, shown: Page) -> None:
    """Print a page: formatted on a terminal, as plain Markdown where the output goes elsewhere."""
    if shown.markdown and console.is_terminal:
        console.print(Markdown(_for_terminal(shown.text)))
    else:
        sys.stdout.write(shown.text)


def _text(name: str) -> str:
    """Return the Markdown text of a page."""
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def _containing(name: str, known: list[str]) -> str:
    """Return a hint with the pages whose name contains ``name``, or an empty text. A name of one or
    two letters would be found in too many."""
    names = [entry for entry in known if len(name) > 2 and name in entry]
    return f"Did you mean {' or '.join(repr(name) for name in names)}?" if names else ""


def _mentioning(word: str, known: list[str]) -> str:
    """Return a hint with the three pages in which a word is most frequent, or an empty text."""
    whole = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
    counts = {name: len(whole.findall(_text(name))) for name in known}
    texts = [name for name in sorted(known, key=lambda name: -counts[name])[:3] if counts[name]]
    return f"It is spoken of in {', '.join(map(repr, texts))}." if texts else ""


def _for_terminal(text: str) -> str:
    """Return Markdown without its comments, which only the tests read, and with the names of pages
    in place of links to them."""
    kept = "".join(line for line in text.splitlines(True) if not line.startswith("<!--"))
    return _LINK.sub(_link_for_terminal, kept)


def _link_for_terminal(link: re.Match[str]) -> str:
    """Return a link's words, and after them the name of its page unless the words have it."""
    words, name = link["words"], link["page"]
    return words if name in words.strip("`").lower().split() else f"{words} ({name})"
