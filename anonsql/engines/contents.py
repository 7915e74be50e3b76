"""The objects that a release may contain in addition to the rows of its tables: one list for every
engine and file.

An engine lists everything in and next to a release as items, by the database's catalogs. Any item
that is not allowed by name is refused, even of a new kind, if the engine lists it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from anonsql.engines.base import Part, names_of, parts_of
from anonsql.policy.release_parts import part_name
from anonsql.system.journal import log


@dataclass(frozen=True, order=True)
class Item:
    """An object that an engine finds in or next to a release: its ``kind`` in a word or two (table,
    view, comment on, default, trigger, footer entry), its ``name``, the table or file that it
    belongs to (``of``) if it has a name of its own, and a ``detail`` that is compared and never
    shown, as it may be a value (an entry's text, the definition of a table)."""

    kind: str
    name: str
    of: str = ""
    detail: str = ""

    @property
    def words(self) -> str:
        """The item as a message names it."""
        return " ".join(filter(None, (self.kind, self.name, self.of and f"of {self.of}")))


def allowed(tables: Iterable[str], views: Iterable[str] = ()) -> frozenset[Item]:
    """Return the only items that a database with a release of these tables and views may have: no
    comment, default, constraint, index, trigger, function, type, sequence or schema, no option of a
    table or file. An engine that lists more than the names of its own tables (schema, definition,
    readers) adds the allowed details."""
    own = frozenset(Item("table", name) for name in tables)
    return own | {Item("view", name) for name in views}


def other_releases(
    tables: Collection[str], extras: Callable[[str], Sequence[Part] | None]
) -> frozenset[Item]:
    """Return the items of the released ``tables`` in a schema, by the ``__about`` of each:
    ``extras`` returns, by its name, the extra parts of its release, None if it is not a released
    table."""
    others: set[Item] = set()
    for name in tables:
        about = part_name(name, "about")
        if about in tables and (names := extras(about)) is not None:
            others |= allowed(*names_of(name, parts_of(names)))
    return frozenset(others)


def unexpected_objects(listed: Iterable[Item], expected: Collection[Item]) -> tuple[str, ...]:
    """Return in words which of the ``listed`` items are none of the ``expected`` ones, each
    once."""
    return tuple(dict.fromkeys(item.words for item in listed if item not in expected))


def refusal(words: Iterable[str]) -> str:
    """Return the offence of a release that holds more than it may, and the remedy."""
    return (
        f"content that is not part of a release: {', '.join(words)}. Do not pass the release on:"
        " remove this content, and run again"
    )


def warn_of(release: str, words: Sequence[str]) -> None:
    """Warn that a release was published next to other objects, described by ``words``."""
    if words:
        log.warning(
            "%s is published, but `anonsql verify` refuses it, because its place also contains"
            " %s, which is not part of a release. Remove it, or release to a separate place.",
            release,
            ", ".join(words),
        )
