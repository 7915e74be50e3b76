"""Where a policy's source, release and catalog lie on this machine."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from anonsql.engines import duckdb_files
from anonsql.errors import AnonsqlError, PolicyError, Problem, did_you_mean
from anonsql.policy import Policy


@dataclass(frozen=True)
class Places:
    """Absolute paths of one job."""

    source: Path
    release: Path
    catalog: Path

    @classmethod
    def of(cls, policy: Policy) -> Places:
        """The policy's places, ``${ENV}`` expanded; raises PolicyError for what is no file."""
        where = "source.file" if policy.source.file else "source.database"
        source = _path(policy, policy.source.file or policy.source.database or "", where)
        release = Path(os.path.realpath(_path(policy, policy.release.database, "release.database")))
        if policy.catalog:
            return cls(source, release, _path(policy, policy.catalog, "catalog"))
        return cls(source, release, release.with_name(f"{release.name.removesuffix('.duckdb')}.anonsql.duckdb"))

    def problems(self) -> list[Problem]:
        """What is wrong with the places as such: one file in two roles would be lost, or give the source away."""
        found: list[Problem] = []
        if _same(self.release, self.source):
            text = "this is the source itself: whoever could read the release could read the source."
            found.append(Problem("release.database", text, "Name another file."))
        if _same(self.catalog, self.source) or _same(self.catalog, self.release):
            found.append(Problem("catalog", "this is the file of the source or the release.", "Name another file."))
        if not self.catalog.parent.is_dir():
            found.append(Problem("catalog", f"the folder {self.catalog.parent} does not exist.", "Create it first."))
        if not self.release.parent.is_dir():
            found.append(Problem("release.database", f"the folder {self.release.parent} does not exist.", "Create it first."))
        else:
            try:
                duckdb_files.require_replaceable(self.release)
            except PolicyError as error:
                found += error.problems
            except AnonsqlError:
                pass  # a lock: the run itself will say so, and it may be gone by then
        return found


def _same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


def _path(policy: Policy, text: str, where: str) -> Path:
    if text.startswith("~"):
        raise PolicyError.at(where, "a path starts with ~.", "Write it out, or use ${HOME}.")
    expanded = re.sub(r"\$\{([^}]*)\}", lambda match: _variable(match.group(1), where), text)
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+]*)://|local\[", expanded)
    if scheme:
        found = f"this version works on files of DuckDB, CSV and Parquet, not on {scheme.group(1) or 'spark'} servers."
        raise PolicyError.at(where, found, "Name a file.")
    if not expanded.strip() or "\0" in expanded:
        raise PolicyError.at(where, "the path is empty or holds a NUL character.", "Name a file.")
    return policy.path(expanded)


def _variable(name: str, where: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise PolicyError.at(where, f"the environment variable {name} is not set.", did_you_mean(name, os.environ) or "Set it.")
    return value
