"""A release as a folder of Parquet files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anonsql.engines import rename
from anonsql.engines.base import BASE_PARTS, Part, Relation, ReleaseTables
from anonsql.engines.duckdb.target import FileTarget
from anonsql.errors import PolicyError


class FolderTarget(FileTarget):
    """A folder with a Parquet file for each part."""

    def _file(self, folder: Path, part: Part) -> Path:
        return folder / f"{self._name(part)}.parquet"

    def _statements(self) -> list[str]:
        self._built.mkdir()
        return [self._clean_parquet(self._file(self._built, part), part) for part in self._exports]

    def _other_files(self, folder: Path, parts: tuple[Part, ...]) -> tuple[str, ...]:
        """Return, as messages name them, the files in a folder that are none of ``parts``."""
        own = {self._file(folder, part).name for part in parts}
        names = sorted(path.name for path in folder.iterdir())
        return tuple(f"file {name}" for name in names if name not in own)

    def _require_there(self, path: Path, name: str) -> None:
        if not path.is_dir():
            super()._require_there(path, name)

    def _parts_at(self, path: Path) -> tuple[Part, ...] | None:
        if not all(self._file(path, part).is_file() for part in BASE_PARTS):
            return None
        return self._parts_stated(self._view_of(self._file(path, "about"), "candidate_about"))

    def _open(self, path: Path, name: str) -> ReleaseTables:
        tables: dict[Part, Relation] = {
            part: self._view_of(self._file(path, part), f"{name}_{part}")
            for part in self._parts
            if part in BASE_PARTS or self._file(path, part).is_file()
        }
        strangers = self._other_files(path, self._parts)
        for part in tables:
            strangers += self._footer_entries(self._file(path, part))
        return ReleaseTables.of(self._reader, tables, strangers)

    def _files(self, path: Path) -> Mapping[str, Path]:
        return {file.name: file for file in sorted(path.glob("*"))}

    def guard(self) -> None:
        """Raise PolicyError unless the folder is new, empty, or has nothing but a release of this
        table."""
        path = self._place.path
        if path.exists() and not path.is_dir():
            raise PolicyError.at(
                self._where,
                f"{path} is not a folder.",
                "Name one, or a file that ends in .parquet.",
            )
        if path.exists() and any(path.iterdir()):
            previous = self._parts_at(path)
            others = self._other_files(path, previous or BASE_PARTS)
            if others or previous is None:
                text = ", ".join(others) or "files that anonsql did not make"
                remedy = "A release has a folder of its own, replaced by every run: name another."
                raise PolicyError.at(self._where, f"{path} holds something else: {text}.", remedy)

    def _move(self) -> None:
        rename.replace_folder(self._built, self._place.path, self._context.mode)
