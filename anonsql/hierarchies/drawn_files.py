"""Write hierarchies that were drawn from a table's values: files that only their owner reads."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from anonsql.errors import PolicyError
from anonsql.hierarchies.patterns import Rows


def write(rows_of: Mapping[str, Rows], folder: Path) -> dict[str, Path]:
    """Write a CSV file for each column into a folder, with mode 0600, as they name values; return
    the files by column. No file is overwritten. Raise PolicyError where one cannot be written;
    none is left behind then."""
    made: dict[str, Path] = {}
    try:
        for column, rows in rows_of.items():
            made[column], descriptor = _new(folder, column)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                csv.writer(file, delimiter=";", quoting=csv.QUOTE_ALL).writerows(rows)
    except OSError as error:
        for path in made.values():
            with suppress(OSError):
                path.unlink()
        raise PolicyError.at(
            str(folder), f"no hierarchy can be written: {error.strerror}.", "Choose another place."
        ) from None
    return made


def _new(folder: Path, column: str) -> tuple[Path, int]:
    """Return the path of a new file that is called like the column, and its descriptor."""
    stem = re.sub(r"[^A-Za-z0-9_-]+", "_", column)[:40].strip("_-") or "column"
    number = 1
    while True:
        path = folder / f"hierarchy_{stem}{'' if number == 1 else f'_{number}'}.csv"
        try:
            return path, os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            number += 1
