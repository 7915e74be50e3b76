"""From a hierarchy in a policy to the hierarchy that generalizes values: built in, made from the
data and written to a file, or taken from a reference table."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from anonsql.errors import PolicyError
from anonsql.policy import yaml_text
from anonsql.policy.built_in import hierarchies as built_in
from anonsql.policy.hierarchy import (
    AgesHierarchy,
    AutomaticHierarchy,
    BreaksHierarchy,
    CountriesHierarchy,
    FileHierarchy,
    Hierarchy,
    Icd10Hierarchy,
    TableHierarchy,
    UsZipHierarchy,
)
from anonsql.policy.problems import problems_of
from anonsql.system import text_files

KEYED = (UsZipHierarchy, Icd10Hierarchy)
"""Hierarchies whose values are generalized by their first characters."""
KEY_LENGTH = 3


def keys_of(spec: UsZipHierarchy | Icd10Hierarchy) -> built_in.Keys:
    """Return the labels of a hierarchy by the first three characters of a value."""
    return built_in.us_zip() if isinstance(spec, UsZipHierarchy) else built_in.icd_10()


def keyed_shape(spec: UsZipHierarchy | Icd10Hierarchy, kind: str) -> dict[str, int | bool]:
    """Return how statements find the first characters of a value in a column of a kind."""
    least = 5 if isinstance(spec, UsZipHierarchy) else KEY_LENGTH
    return {"length": KEY_LENGTH, "least": least, "zeros": kind == "integer"}


def keyed_levels(spec: UsZipHierarchy | Icd10Hierarchy) -> tuple[str, ...]:
    """Return the looks of the labels of each level between value and top."""
    if isinstance(spec, UsZipHierarchy):
        return "first 3 digits, or 000 where few people live", "first digit"
    return "ICD-10 category", "ICD-10 block", "ICD-10 chapter"


def stem_of(column: str) -> str:
    """Return the name of a file for a column: its own, with a mark where it is no name of a
    file."""
    stem = re.sub(r"[^\w-]+", "_", column)[:60]
    if stem == column:
        return stem
    return f"{stem}_{hashlib.sha256(column.encode()).hexdigest()[:6]}"


def made_files(stem: Path) -> tuple[Path, Path]:
    """Return the files that an automatic hierarchy may be in: of numbers and dates, and of text."""
    return stem.with_name(f"{stem.name}.yaml"), stem.with_name(f"{stem.name}.csv")


def resolved(spec: Hierarchy, where: str, stem: Path, table: Path | None) -> Hierarchy:
    """Return the hierarchy that one at the location ``where`` refers to; itself if that is not
    known yet. ``stem`` is the path of the file of an automatic one, without its end; ``table`` is
    the file that a reference table was read to."""
    if isinstance(spec, AgesHierarchy):
        return built_in.ages()
    if isinstance(spec, CountriesHierarchy):
        return built_in.countries(spec.spelling)
    if isinstance(spec, TableHierarchy) and table is not None:
        return FileHierarchy(path=str(table))
    if isinstance(spec, AutomaticHierarchy):
        return _made(stem, f"{where}.path") or spec
    return spec


def unresolved(spec: Hierarchy, where: str, stem: Callable[[], Path]) -> PolicyError | None:
    """Return the error of a hierarchy that is not known yet, where it is not."""
    if isinstance(spec, AutomaticHierarchy):
        yaml, rows = made_files(stem())
        text = f"it does not exist yet: there is neither {yaml} nor {rows.name}."
        return PolicyError.at(where, text, "`anonsql check POLICY` makes it from the data.")
    if isinstance(spec, TableHierarchy):
        text = (
            f"the table {spec.table!r} was not read, because this command does not open the source."
        )
        remedy = "Write the same rows to a file, and name it here (`type: file`)."
        return PolicyError.at(where, text, remedy)
    return None


def _made(stem: Path, where: str) -> Hierarchy | None:
    """Return the hierarchy in the file of an automatic one; None if there is no file. Raise
    PolicyError if there are two, or one is not a hierarchy."""
    yaml, rows = made_files(stem)
    if yaml.is_file() and rows.is_file():
        text = f"there are both {yaml} and {rows.name}."
        raise PolicyError.at(where, text, "Remove the wrong one.")
    if rows.is_file():
        return FileHierarchy(path=str(rows))
    if not yaml.is_file():
        return None
    status = yaml.stat()
    return _breaks(yaml, where, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _breaks(file: Path, where: str, _modified: int, _size: int) -> BreaksHierarchy:
    data = yaml_text.parse(text_files.read_text(file, where, text_files.MAX_YAML), str(file))
    if not isinstance(data, dict) or data.get("type") != "breaks":
        text = f"{file} does not contain a hierarchy of breaks."
        raise PolicyError.at(where, text, "It must begin with `type: breaks`, and `at: [...]`.")
    try:
        return BreaksHierarchy.model_validate(data)
    except ValidationError as error:
        problem = problems_of(error, BreaksHierarchy, data)[0]
        text = f"{file}: {problem.where}: {problem.found}"
        raise PolicyError.at(where, text, problem.remedy) from None
