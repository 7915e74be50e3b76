"""A CSV file whose lines all end alike. DuckDB refuses a file whose lines end in LF and in CRLF, or
reads no rows of it; a title that one program puts above the rows of another makes such files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from anonsql.engines.duckdb import source_files
from anonsql.errors import PolicyError
from anonsql.policy.source import Source
from anonsql.system.encodings import as_utf8, blocks

_END = re.compile(rb"\r*\n\Z|\r+\Z")
_LAST_END = re.compile(rb"\r+\Z")
_REST_OF_QUOTED = re.compile(rb'(?:[^"]|"")*+("?)')
_DELIMITERS = source_files.DELIMITERS.encode()


@contextmanager
def as_text(path: Path, source: Source, copy: Path, where: str) -> Iterator[Path]:
    """Give a CSV file in UTF-8 whose lines all end alike: the file itself where it is so, otherwise
    a copy in a private folder, which is removed afterwards; ``where`` is the policy's field that is
    the source. Line ends within quotes are values, and stay."""
    with as_utf8(path, source.encoding, copy, f"{where}.encoding") as text:
        if not _may_differ(text):
            yield text
            return
        alike = copy.with_suffix(".lines.csv")
        try:
            mixed = _written(text, alike, source, f"{where}.file", path)
            yield alike if mixed else text
        finally:
            alike.unlink(missing_ok=True)


def _may_differ(text: Path) -> bool:
    """Return whether lines may end in several ways, as far as counting quotes tells: by line ends
    outside of quotes, or by all if a quote stays open."""
    outside, everywhere, quotes = _Ends(), _Ends(), 0
    for block in blocks(text):
        if b"\0" in block:
            return False  # UTF-16, which is refused later
        parts = block.split(b'"')
        outside.count(b'"'.join(parts[quotes % 2 :: 2]), new=quotes % 2 == 1)
        everywhere.count(block)
        quotes += len(parts) - 1
    return everywhere.differ and (outside.differ or quotes % 2 == 1)


@dataclass
class _Ends:
    """How many LF, CR and CR LF a text has; ``last`` is its last character."""

    feeds: int = 0
    returns: int = 0
    both: int = 0
    last: bytes = b""

    def count(self, block: bytes, *, new: bool = False) -> None:
        """Count those of the text's next block; ``new``: it does not follow the last one."""
        returns = block.count(b"\r")
        self.feeds += block.count(b"\n")
        self.returns += returns
        self.both += block.count(b"\r\n") if returns else 0
        self.both += self.last == b"\r" and block.startswith(b"\n") and not new
        self.last = block[-1:]

    @property
    def differ(self) -> bool:
        """Whether there are several kinds."""
        alone = (self.feeds - self.both, self.returns - self.both, self.both)
        return sum(count > 0 for count in alone) > 1


def _written(text: Path, copy: Path, source: Source, where: str, path: Path) -> bool:
    """Write a text with LF as the end of each line; return whether DuckDB needs it: lines
    end in several ways, or in CR twice and LF.
    Raise PolicyError if a line also has CR in the middle: it may be its end, or a value's."""
    delimiters = source.delimiter.encode() if source.delimiter else _DELIMITERS
    quoted = re.compile(
        rb'(?:\A(?:\xef\xbb\xbf)?|(?<=[%b\r])) *"(?:[^"]|"")*+("?)' % re.escape(delimiters)
    )
    inside, ends, odd = False, set[bytes](), 0
    with text.open("rb") as lines, copy.open("wb") as written:
        for number, line in enumerate(lines, start=1):
            plain, kept = line, line
            if inside or b'"' in line:
                inside, plain = _outside(line, inside, quoted)
            if not inside and (end := _END.search(plain)):
                ends.add(end[0])
                plain = plain[: end.start()]
                kept = line[: len(line) - len(end[0])] + b"\n"
            if not odd and b"\r" in _LAST_END.sub(b"", plain):
                odd = number
            written.write(kept)
    if odd and ends:
        raise PolicyError.at(
            where,
            f"line {odd} of {path} has a carriage return (CR) in the middle, outside of quotes.",
            "End all lines in LF or in CRLF, and put a value with a line break in quotes.",
        )
    return len(ends) > 1 or b"\r\r" in b"".join(ends)


def _outside(line: bytes, inside: bool, quoted: re.Pattern[bytes]) -> tuple[bool, bytes]:
    """Return whether a line ends within quotes, and what of it stands outside of quotes; ``inside``:
    whether it begins within quotes."""
    if inside:
        rest = _REST_OF_QUOTED.match(line)
        if rest is None or not rest[1]:
            return True, b""
        line = b"x" + line[rest.end() :]
    left = [found[1] for found in quoted.finditer(line)][-1:] == [b""]
    return left, quoted.sub(b"", line)
