"""Templates of a folder: a file each, or blocks of the folder's file ``_blocks.sql``.

A block begins with a line that names it and ends where the next one begins::

    -- name: confused
    {# … #}
    SELECT …

The block ``confused`` of ``verification/_blocks.sql`` is the template ``verification/confused.sql``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, TemplateNotFound, TemplateSyntaxError

BLOCKS = "_blocks.sql"
"""The file of a folder that holds its templates of a few lines."""
_HEAD = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_Source = tuple[str, str, Callable[[], bool]]


class TemplateFolders(FileSystemLoader):
    """The templates of folders, from files and from blocks."""

    def get_source(self, environment: Environment, template: str) -> _Source:
        """Return a template's text, its file, and whether that file is still as it was read."""
        folder, file = posixpath.split(template)
        try:
            return super().get_source(environment, template)
        except TemplateNotFound as error:
            missing = error
        try:
            text, path, is_current = super().get_source(environment, posixpath.join(folder, BLOCKS))
        except TemplateNotFound:
            raise missing from None
        blocks = _blocks(text, Path(path))
        if file not in blocks:
            raise missing
        return blocks[file], path, is_current

    def list_templates(self) -> list[str]:
        """Return the names of all templates, of files as of blocks."""
        found = set(super().list_templates())
        for name in [name for name in found if posixpath.basename(name) == BLOCKS]:
            (path,) = (path for folder in self.searchpath if (path := Path(folder, name)).is_file())
            blocks = _blocks(path.read_text(self.encoding), path)
            found |= {posixpath.join(posixpath.dirname(name), block) for block in blocks}
            found.remove(name)
        return sorted(found)


@cache
def _blocks(text: str, path: Path) -> dict[str, str]:
    """Return the blocks of a text by the files that they replace, each behind a comment with as
    many lines as precede it: errors then name its line of the file ``path``. Raise
    TemplateSyntaxError for a name that another block or file has."""
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    found: dict[str, str] = {}
    for head, end in zip(heads, ends, strict=True):
        file, lines = f"{head[1]}.sql", text.count("\n", 0, head.end())
        if file in found or (path.parent / file).exists():
            raise TemplateSyntaxError(
                f"the template {head[1]!r} is defined twice", lines, str(path), str(path)
            )
        found[file] = "{#" + "\n" * (lines - 1) + "#}\n" + text[head.end() : end].rstrip("\n")
    return found
