"""The files of hierarchies that are made from the data: written once, beside the policy, for their
owner alone; new texts are added to them, nothing else is ever changed."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

from anonsql.errors import PolicyError
from anonsql.policy.breaks import text_of

Breaks = Sequence[Decimal | date]
_REMEDY = "Make the folder writable, or name another file in `path`."


def write_breaks(file: Path, at: Breaks, then: Sequence[Breaks], what: str, where: str) -> None:
    """Write a hierarchy of breaks; ``what`` says of which column it is. Raise PolicyError at
    ``where`` when it cannot be written."""

    def listed(breaks: Breaks) -> str:
        return f"[{', '.join(map(text_of, breaks))}]"

    lines = [
        f"# Made by anonsql from the values of {what!r}: it says where they are many.",
        "# Read it and edit it. It is used as it is; remove it to have it made anew.",
        "type: breaks",
        f"at: {listed(at)}",
        *(["then:"] if then else []),
        *(f"  - {listed(breaks)}" for breaks in then),
    ]
    _write(file, "\n".join(lines) + "\n", where)


def write_rows(file: Path, rows: Sequence[Sequence[str]], where: str) -> None:
    """Write a hierarchy leaf by leaf. Raise PolicyError at ``where`` when it cannot be written."""
    _write(file, _csv(rows), where)


def add_rows(file: Path, rows: Sequence[Sequence[str]], delimiter: str, where: str) -> None:
    """Add leaves at the end of a hierarchy; raise PolicyError at ``where`` if that fails."""
    try:
        with file.open("rb") as content:
            content.seek(-1, os.SEEK_END)
            ends = content.read(1) == b"\n"
        with file.open("a", encoding="utf-8", newline="") as text:
            text.write(("" if ends else "\n") + _csv(rows, delimiter))
    except OSError as error:
        text_of_error = f"{file} cannot be written: {error.strerror}."
        raise PolicyError.at(where, text_of_error, _REMEDY) from None


def _write(file: Path, content: str, where: str) -> None:
    """Write a new file for its owner alone, as a whole or not at all."""
    making = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(making, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as text:
                text.write(content)
            os.link(making, file)  # never over a file that is there
        finally:
            making.unlink(missing_ok=True)
    except OSError as error:
        raise PolicyError.at(
            where, f"{file} cannot be written: {error.strerror}.", _REMEDY
        ) from None


def _csv(rows: Sequence[Sequence[str]], delimiter: str = ";") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
        rows
    )
    return text.getvalue()
