"""The manual: pages of Markdown in ``anonsql/guide``, shown by ``anonsql guide``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from textwrap import shorten

from rich.console import Console
from rich.markdown import Markdown

from anonsql.errors import PolicyError, did_you_mean
from anonsql.presentation.documents import Document

FOLDER = Path(__file__).parents[2] / "guide"
INDEX = "index"
_MOST = 2
"""The lines of a page that a search shows."""
_LINE, _SCREEN = 76, 22
_LINK = re.compile(r"\[(?P<words>[^\]]+)\]\((?P<page>[a-z-]+)\.md(?:#[^)]*)?\)")


class Page(Document):
    """A page of the manual, or its example table, as text."""

    topic: str
    text: str
    markdown: bool = True


def topics() -> list[str]:
    """Return the topics of the guide: the names of all pages but the index."""
    return sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != INDEX)


def page(topic: str | None = None) -> Page:
    """Return the page of a topic, or the index if none is given. If no page has that name, return
    the pages that contain the word.

    Raise PolicyError, which names the nearest pages, if no page contains it.
    """
    name = topic.strip().lower().replace("_", "-").removesuffix(".md") if topic else INDEX
    known = topics()
    if name in (*known, INDEX):
        return Page(topic=name, text=_text(name))
    return search(str(topic), did_you_mean(name, known))


def search(word: str, near: str = "") -> Page:
    """Return a screen of the pages that contain a word, by its frequency: each with its title and
    the first lines that have the word. Raise PolicyError, with the ``near`` names, if none does."""
    text = word.strip().lower()
    matches = [(name, _lines_with(text, name)) for name in (INDEX, *topics())]
    matches = [(name, lines) for name, lines in matches if text and lines]
    if not matches:
        remedy = near or "`anonsql guide` lists all pages."
        raise PolicyError.at("WORD", f"no page has the name {word!r} or the word.", remedy)
    matches.sort(key=lambda match: (text not in match[0], -len(match[1])))
    shown: list[str] = []
    for at, (name, lines) in enumerate(matches):
        title = _text(name).splitlines()[0].lstrip("# ")
        said = [line for line in lines if line != title][:_MOST]
        found = [f"{name}: {title}", *(f"    {_short(line)}" for line in said)]
        if len(shown) + len(found) > _SCREEN:
            others = ", ".join(other for other, _ in matches[at:])
            shown.append(_short(f"{len(matches) - at} more: {others}"))
            break
        shown += found
    return Page(topic=word, text="\n".join([*shown, ""]), markdown=False)


def _short(line: str) -> str:
    return shorten(line, _LINE, placeholder=" …")


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
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def _for_terminal(text: str) -> str:
    """Return Markdown without its comments, which only the tests read, and with the names of pages
    in place of links to them."""
    kept = "".join(line for line in text.splitlines(True) if not line.startswith("<!--"))
    return _LINK.sub(_link_for_terminal, kept)


def _link_for_terminal(link: re.Match[str]) -> str:
    """Return a link's words, and after them the name of its page unless the words have it."""
    words, name = link["words"], link["page"]
    return words if name in words.strip("`").lower().split() else f"{words} ({name})"
