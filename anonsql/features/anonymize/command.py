"""``anonsql.anonymize``: anonymize a data frame in Python, and publish nothing.

The frame is written to a private folder (mode 0700), where a whole job runs as it would on a
database: search, recoding, staging, verification. The verified release is read into memory, and the
folder is removed; the next process removes the folder of a killed one.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonsql.engines.base import EXTRA_TABLES
from anonsql.engines.duckdb import frames
from anonsql.errors import PolicyError, Problem
from anonsql.features import kinds
from anonsql.features.anonymize.wording import about_frame, of_frame
from anonsql.features.run import document_of_job
from anonsql.features.run.document import Report
from anonsql.jobs import pipeline, source_columns
from anonsql.jobs.sessions import running
from anonsql.jobs.workspace import scratch
from anonsql.policy import refusals, yaml_text
from anonsql.policy.envelope import plain, read_policy
from anonsql.policy.policy import Given, Policy
from anonsql.policy.release_parts import part_name
from anonsql.policy.source import MENDING
from anonsql.presentation.documents import Place
from anonsql.sql import templates
from anonsql.system.clock import Progress, silent

if TYPE_CHECKING:
    from anonsql.engines.duckdb.frames import Connection, Relation

FRAME = "frame"
"""The table that a frame becomes."""
_RELEASED = "released"
_IN_MEMORY = "memory"
_KINDS = "a pandas or Polars data frame, an Arrow table or a relation of DuckDB"
_FRAMES = (
    ("pandas", "DataFrame"),
    ("polars", "DataFrame"),
    ("polars", "LazyFrame"),
    ("pyarrow", "Table"),
    ("pyarrow", "RecordBatchReader"),
)
_OPEN = {
    "role": (
        "the role is not chosen yet.",
        '"sensitive"',
        "another role: identifying, quasi-identifying (with a `hierarchy`), semi-sensitive,"
        " insensitive or weight",
    ),
    "hierarchy": (
        "the hierarchy is not chosen yet.",
        '{"type": "suppression"}',
        "another one: see `anonsql guide hierarchies`",
    ),
}
"""The points that a proposed policy may leave open, with an example and the alternatives."""
_MIXED = ("mixed", "mixed-integer", "mixed-integer-float", "complex", "bytes")
"""Kinds of pandas' object columns that are no column of a database."""


class Release:
    """An anonymized data frame, in memory: ``report`` has the promise, the proof and the losses,
    ``about`` states them as a release does, ``tables`` names its relations. Its rows are sorted by
    their values."""

    def __init__(self, connection: Connection, name: str, report: Report) -> None:
        """Take a connection that has the tables of a release in memory."""
        self._connection = connection
        self._name = name
        self.report = report

    @property
    def relation(self) -> Relation:
        """The released rows, as a relation of DuckDB."""
        return self.table("rows")

    @property
    def tables(self) -> list[str]:
        """The parts of the release: ``rows``, ``about``, ``columns``, and others of the method."""
        return ["rows", "about", "columns", *self._extras()]

    @property
    def about(self) -> dict[str, str]:
        """The facts that the release states of itself."""
        return dict(self.table("about").project("property, value").fetchall())

    def table(self, part: str) -> Relation:
        """Return a part of the release, see :attr:`tables`. Raise PolicyError where there is
        none of that name."""
        if part not in ("rows", "about", "columns") and part not in self._extras():
            known = ", ".join(self.tables)
            raise PolicyError.at("table", f"the release has no {part!r}.", f"It has {known}.")
        name = part_name(self._name, part)
        return self._connection.table(templates.ident(name))

    def write_to(self, folder: Path) -> Path:
        """Write the release to a new folder of Parquet files in a folder; return that."""
        path = folder / _IN_MEMORY
        path.mkdir(mode=0o700)
        for part in self.tables:
            file = path / f"{part_name(self._name, part)}.parquet"
            self.table(part).write_parquet(str(file))
        return path

    def to_arrow(self) -> Any:
        """Return the released rows as an Arrow table. Raise PolicyError without pyarrow."""
        _require("pyarrow", "to_arrow")
        return self.relation.to_arrow_table()

    def to_pandas(self) -> Any:
        """Return the released rows as a data frame of pandas. Raise PolicyError without pandas."""
        _require("pandas", "to_pandas")
        return self.relation.df()

    def to_polars(self) -> Any:
        """Return the released rows as a data frame of Polars. Raise PolicyError without Polars."""
        _require("polars", "to_polars")
        _require("pyarrow", "to_polars")
        return self.relation.pl()

    def _extras(self) -> list[str]:
        words = self.about.get(EXTRA_TABLES, "").split(",")
        return [word.strip().removeprefix("__") for word in words if word.strip()]

    def __repr__(self) -> str:
        """Return a description in one line, without values."""
        done = self.report
        return f"<Release of {done.released:,} rows by {done.method}, k={done.k}>"

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def anonymize(
    table: object, policy: Given, *, progress: Progress = silent, show_values: bool = False
) -> Release:
    """Anonymize a data frame of pandas or Polars, an Arrow table or a relation of DuckDB, and
    publish nothing: the whole job runs in a private folder that is removed at the end, and the
    verified release is in memory. A policy for frames names neither source nor release; where one
    does, the frame takes the source's place. Its `source` may still say how values are read
    (`{trim: true, columns: {sex: {case: lower}}}`). The text that :func:`init` proposes is a policy
    too. The index of a pandas frame is no column. Raise PolicyError for a frame that is no table,
    and the errors of :func:`run`."""
    with scratch() as folder, about_frame(_index_of(table)):
        source = written(table, folder)
        result = source_columns.resolved(_in_folder(policy, source, folder))
        refusals.require_one_release(result, "anonymize")
        refusals.require_not_differential(result, "anonymize")
        with running(result, "anonymize", progress, show_values) as job:
            pipeline.go_through(job, pipeline.OPEN)
            pipeline.go_through(job, pipeline.RELEASE)
            done = document_of_job.report(job)
        name = result.release.name
        outcome = Place(database=_IN_MEMORY, table=name)
        return Release(frames.read(folder / "release.duckdb"), name, _told(done, outcome))


def _told(report: Report, location: Place) -> Report:
    """Return a report that names no file of the private folder, and the frame for the source."""
    warnings = [
        warning.model_copy(
            update={"message": of_frame(warning.message), "remedy": of_frame(warning.remedy)}
        )
        for warning in report.warnings
    ]
    return report.model_copy(update={"release": location, "warnings": warnings})


def _in_folder(policy: Given, source: Path, folder: Path) -> Policy:
    """Return the policy with its source and release in a folder. A policy for frames alone names
    neither."""
    if isinstance(policy, Policy):
        data: Any = policy.model_dump(mode="json", exclude_unset=True, by_alias=True)
        base, file = policy.origin.folder, policy.origin.file
    elif isinstance(policy, Mapping):
        data, base, file = plain(policy), Path.cwd(), None
    elif not isinstance(policy, (str, Path)):
        text = f"found {type(policy).__name__}, which is not a policy."
        remedy = "Give the text that `init` proposes, a mapping, a Policy or the path of a file."
        raise PolicyError.at("policy", text, remedy)
    elif isinstance(policy, str) and "\n" in policy:  # as `init` proposes it
        data, base, file = yaml_text.parse(policy, "policy"), Path.cwd(), None
    else:
        file = Path(policy).absolute()
        data, base = read_policy(policy), file.parent
    if not isinstance(data, dict):
        return Policy.parse(data, base, file)  # it says what is wrong
    kinds.of(data).require("anonymize")
    _require_decided(data, as_text=isinstance(policy, str) and "\n" in policy)
    release = data.get("release")
    kept = dict(release) if isinstance(release, dict) else {}
    kept.pop("file", None)
    kept.pop("grant", None)
    name = str(kept.get("table") or _RELEASED).rpartition(".")[2]
    kept |= {"database": str(folder / "release.duckdb"), "table": name}
    places = {
        "source": _mending(data.get("source")) | {"database": str(source), "table": FRAME},
        "release": kept,
        "catalog": str(folder / "catalog.duckdb"),
    }
    return Policy.parse({**data, **places}, base, file)


def _mending(source: object) -> dict[str, Any]:
    """Return the settings of a policy's source for its values, which also apply to a frame instead:
    all settings if it names no place."""
    if not isinstance(source, dict):
        return {}
    if not source.keys() & ("database", "table", "file", "query"):
        return source
    columns = source.get("columns")
    kept = {name: source[name] for name in MENDING if name in source}
    kept["columns"] = {
        name: own
        for name, column in (columns.items() if isinstance(columns, dict) else ())
        if isinstance(column, dict)
        and (own := {field: column[field] for field in MENDING if field in column})
    }
    return kept


def _require_decided(data: Mapping[str, Any], *, as_text: bool) -> None:
    """Raise PolicyError where a proposed policy leaves roles or hierarchies open, with the line of
    Python that decides each; ``as_text``: the policy was given as text."""
    columns = data.get("columns")
    if not isinstance(columns, dict):
        return
    first = "Read the text, `policy = yaml.safe_load(text)`, and set" if as_text else "Set"
    problems = []
    for name, column in columns.items():
        entry = column if isinstance(column, dict) else {}
        for field, (found, example, others) in _OPEN.items():
            if field in entry and entry[field] is None:
                line = f'policy["columns"][{json.dumps(name)}]["{field}"] = {example}'
                remedy = f"{first} `{line}`, or {others}."
                problems.append(Problem(f"columns.{name}.{field}", found, remedy))
    if problems:
        raise PolicyError(problems)


def _index_of(table: object) -> list[str]:
    """Return the names of the index of a frame of pandas."""
    return [name for name in getattr(getattr(table, "index", None), "names", ()) if name]


def _require_columns(table: object) -> None:
    """Raise PolicyError where a frame has columns that no table can have, naming all of them."""
    names = list(getattr(table, "column_names", getattr(table, "columns", ())))
    problems = [
        Problem(
            f"columns[{number}]",
            f"the frame's column {name!r} has a name of type {type(name).__name__}.",
            "Give the column a name that is text.",
        )
        for number, name in enumerate(names)
        if not isinstance(name, str)
    ]
    folded = [str(name).casefold() for name in names]
    repeated = sorted({name for name in folded if folded.count(name) > 1})
    problems += [
        Problem(
            f"columns.{name}",
            "the frame has several columns of this name (case aside).",
            "Rename all of them except one.",
        )
        for name in repeated
    ]
    if problems:
        raise PolicyError(problems)
    if mixed := _mixed(table):
        raise PolicyError(
            [
                Problem(
                    f"columns.{name}",
                    f"the frame's column contains values of several types ({kind}).",
                    "Convert them to one type, for example `frame[name].astype(str)`.",
                )
                for name, kind in mixed
            ]
        )


def _mixed(table: object) -> list[tuple[str, str]]:
    """Return the columns of a frame of pandas with values of several kinds, each with the kind's
    name in pandas."""
    if type(table).__module__.split(".")[0] != "pandas":
        return []
    types = importlib.import_module("pandas.api.types")
    frame: Any = table
    columns = []
    for name in frame.columns:
        if frame[name].dtype == object:
            kind = types.infer_dtype(frame[name], skipna=True)
            lists = frame[name].map(lambda value: isinstance(value, (list, dict, set, tuple)))
            if kind in _MIXED and not (kind == "mixed" and lists.all()):
                columns.append((name, kind))
    return columns


def written(table: object, folder: Path) -> Path:
    """Write a frame as the table :data:`FRAME` of a DuckDB file in a folder. Raise PolicyError for
    a frame that is no table."""
    _require_frame(table)
    _require_columns(table)
    file = folder / "frame.duckdb"
    frames.write(_readable(table), file, FRAME)
    return file


def _require_frame(table: object) -> None:
    kind, name = type(table).__module__.split(".")[0], type(table).__name__
    if name != "DuckDBPyRelation" and (kind, name) not in _FRAMES:
        text = f"found {kind}.{name}, which is not a table."
        raise PolicyError.at("table", text, f"Give {_KINDS}.")


def _readable(table: Any) -> object:
    """Return a frame as DuckDB can scan it."""
    name = type(table).__name__
    if name == "DuckDBPyRelation":
        _require("pyarrow", "a relation")
        return table.to_arrow_table()
    return table.collect() if name == "LazyFrame" else table


def _require(package: str, what: str) -> None:
    try:
        importlib.import_module(package)
    except ImportError:
        raise PolicyError.at(
            what, f"the package {package} is not installed.", f"pip install {package}"
        ) from None
