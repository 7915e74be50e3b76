"""``anonsql compile``: the recoding of a chosen generalization as plain SQL files for any warehouse,
in the order of a manifest."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anonsql.errors import PolicyError
from anonsql.features import kinds
from anonsql.features.apply.command import require_one_scheme
from anonsql.features.compile import dbt, steps
from anonsql.features.compile.document import CompiledFile, CompileReport
from anonsql.features.compile.steps import Step
from anonsql.jobs import pipeline, source_columns
from anonsql.jobs.job import Job
from anonsql.jobs.sessions import running
from anonsql.policy.policies import of_one
from anonsql.policy.policy import Given
from anonsql.sql import templates
from anonsql.sql.dialects import Dialect
from anonsql.system import text_files
from anonsql.system.clock import Progress, silent

_MANIFEST = "manifest.json"
_BEGIN = "removes the release and tables of an earlier run"
_END = "removes everything except the release: these tables contain raw values"


def compile(
    policy: Given,
    dialect: Dialect,
    folder: str | Path,
    *,
    levels_of: str | int | None = None,
    source: str | None = None,
    as_dbt: bool = False,
    progress: Progress = silent,
    show_values: bool = False,
) -> CompileReport:
    """Write the recoding as plain SQL files, for the best generalization of the policy's source or
    the one of ``levels_of`` (see ``apply``). ``source`` is the table's name where the files will
    run. With ``as_dbt``, ``folder`` is the file of a dbt model, and ``source`` dbt's name of the
    table."""
    result = source_columns.resolved(of_one(policy, "compile"))
    require_one_scheme(result, "compile")
    for name in result.changes:
        text = "`compile` writes no statements that change values of kept columns."
        raise PolicyError.at(f"columns.{name}.change", text, "Leave it out, or use `anonsql run`.")
    with running(result, "compile", progress, show_values) as job:
        pipeline.go_through(job, pipeline.OPEN_SOURCE)
        if levels_of is None:
            pipeline.go_through(job, pipeline.CHOOSE)
        else:
            job.scheme = kinds.of(result).scheme(job, str(levels_of))
            pipeline.go_through(job, pipeline.CHOOSE_AGAIN)
        pipeline.go_through(job, pipeline.LOOK_AT_TEXT)
        write = dbt.write if as_dbt else write_files
        return write(job, dialect, Path(folder).absolute(), source)


def write_files(job: Job, dialect: Dialect, folder: Path, source: str | None) -> CompileReport:
    """Write the files to ``folder``, which is new or holds an earlier compilation."""
    named, release = steps.names(job.policy, source)
    _clear(folder)
    _require_apart(named, release)
    made = steps.of(job, named, release)
    files = _files(folder, dialect, made, _scratch(made, named, release), release)
    report = steps.report(job, dialect, folder, (named, release), files)
    (folder / _MANIFEST).write_text(report.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return report


def _scratch(made: Sequence[Step], source: Sequence[str], release: Sequence[str]) -> dict[str, str]:
    """Return the names of scratch tables in the warehouse, different from other releases'. Raise
    PolicyError if the source has the name of one."""
    tables = [step.creates for step in made if step.creates]
    tables.remove(".".join(release))
    if len(source) == 1 and source[0] in tables:
        raise PolicyError.at(
            "--source",
            f"{source[0]!r} is also the name of a table that the files create.",
            "Write the source with its schema.",
        )
    prefix = f"anonsql_{hashlib.sha256('.'.join(release).encode()).hexdigest()[:8]}_"
    return {name: prefix + name for name in tables}


def _files(
    folder: Path,
    dialect: Dialect,
    made: Sequence[Step],
    scratch: Mapping[str, str],
    release: Sequence[str],
) -> list[CompiledFile]:
    """Write the files of the steps and the clean-up before and after; return their entries."""

    def translated(template: str, parameters: Mapping[str, Any]) -> str:
        return templates.translate(templates.render(template, **parameters), dialect, scratch)

    def written(step: Step | None, does: str, statements: Sequence[str]) -> CompiledFile:
        name = f"{len(files) + 1:02}_{step.name if step else 'clean_up'}.sql"
        text = "".join(f"{sql};\n" for sql in statements)  # one on each line
        (folder / name).write_text(text, encoding="utf-8")
        creates = step.creates if step else None
        return CompiledFile(
            file=name,
            does=does,
            creates=scratch.get(creates or "", creates),
            offenders=step is not None and creates is None,
        )

    files: list[CompiledFile] = []
    drops = [
        translated("engines/sqlalchemy_engine/drop", {"table": name}) for name in sorted(scratch)
    ]
    drop_release = templates.translate(
        templates.render("engines/sqlalchemy_engine/drop", table=tuple(release)), dialect
    )
    files.append(written(None, _BEGIN, [*drops, drop_release]))
    for step in made:
        files.append(written(step, step.does, [translated(step.template, step.parameters)]))
    files.append(written(None, _END, drops))
    return files


def _require_apart(source: Sequence[str], release: Sequence[str]) -> None:
    """Raise PolicyError where the files could take the source for the release, and drop it."""
    one, other = [part.casefold() for part in source], [part.casefold() for part in release]
    if one[-1] == other[-1] and (len(one) == 1 or len(other) == 1 or one[-2] == other[-2]):
        text = (
            f"the source {'.'.join(source)} and the release {'.'.join(release)} can be the same"
            " table there, which the files replace."
        )
        raise PolicyError.at("--source", text, "Give both another name, or different schemas.")


def _clear(folder: Path) -> None:
    """Make the folder, or empty it of an earlier compilation."""
    text_files.require_path(folder, "--output")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = sorted(folder.iterdir())
        others = [
            path.name
            for path in there
            if not re.fullmatch(r"[0-9]{2,}_[a-z0-9_]+\.sql", path.name) and path.name != _MANIFEST
        ]
        if there and (others or not _is_ours(folder / _MANIFEST)):
            text = f"{folder} contains something else."
            raise PolicyError.at("--output", text, "Name a new folder.")
        for path in there:
            path.unlink()
    except OSError as error:
        raise PolicyError.at(
            "--output", f"{folder} cannot be written: {error.strerror}.", "Name another folder."
        ) from None


def _is_ours(manifest: Path) -> bool:
    try:
        CompileReport.model_validate_json(manifest.read_bytes())
    except (OSError, ValueError):
        return False
    return True
