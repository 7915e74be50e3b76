"""The recoding of a chosen generalization as one model of dbt: a single query, which reads one
state of its source and leaves no scratch table of raw values. Where a hierarchy misses a value, or
too many rows would be suppressed, it returns no row; the materialization then replaces nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from anonsql.errors import PolicyError
from anonsql.features.compile import steps
from anonsql.features.compile.document import CompiledFile, CompileReport
from anonsql.features.compile.steps import Step
from anonsql.jobs.job import Job
from anonsql.release.staging import free_name
from anonsql.sql import templates
from anonsql.sql.dialects import Dialect
from anonsql.system import text_files

PACKAGE = Path(__file__).parents[2] / "dbt"
"""The package of dbt that builds such models."""
_HEAD = "-- Written by `anonsql compile --dbt`. Change the policy and compile it anew.\n"
_LAST = "-- the release, or nothing where there are problems"
"""The line before the last part of a query, where the materialization asks for problems instead:
the macro ``problems`` of the dbt package searches for it."""
_SOURCE = "source table"
"""The source's placeholder in the query, replaced by dbt's name for it: no other table has it."""
_STAND_IN = "\0"
"""The placeholder of dbt's name in the query, which has this character nowhere else."""
_OF_JINJA = {"{": "{{ '{' }}", "\r": r"{{ '\r' }}"}
"""What Jinja would take for its own, or for the end of a line, and its escapes."""


def write(job: Job, dialect: Dialect, path: Path, source: str | None) -> CompileReport:
    """Write the model to ``path``, whose name is the release's, as dbt names models by files;
    replace an earlier one."""
    named, release = steps.names(job.policy, source)
    reference = _reference(named)
    _require_place(path, release[-1])
    made = steps.of(job, [_SOURCE], release)
    query = re.sub("[{\r]", lambda found: _OF_JINJA[found[0]], _query(made, dialect))
    facts = _facts(job, dialect, named[-1], release[-1], made[-1])
    config = f"{{{{ config(materialized='anonsql_release', meta={{'anonsql': {facts}}}) }}}}\n"
    try:
        text = _HEAD + config + query.replace(_STAND_IN, reference) + "\n"
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise PolicyError.at(
            "--output", f"{path} cannot be written: {error.strerror}.", "Name another file."
        ) from None
    does = "the release as a model, which dbt builds"
    file = CompiledFile(file=path.name, does=does, creates=release[-1], offenders=False)
    return steps.report(job, dialect, path.parent, (named, release), [file])


def _reference(source: Sequence[str]) -> str:
    if len(source) > 2:
        text = f"dbt has no table {'.'.join(source)!r}."
        remedy = "Give a model or seed as `name`, a table of a source as `source.table`."
        raise PolicyError.at("--source", text, remedy)
    function = "ref" if len(source) == 1 else "source"
    return f"{{{{ {function}({', '.join(map(_literal, source))}) }}}}"


def _literal(text: str) -> str:
    """Return a text as a literal of Jinja without braces, at which other readers may stop."""
    quoted = json.dumps(text, ensure_ascii=False)
    return quoted.replace("{", r"\u007b").replace("}", r"\u007d")


def _facts(job: Job, dialect: Dialect, source: str, release: str, classes: Step) -> str:
    """Return as a dictionary of Jinja the facts by which the materialization checks the model."""
    columns = ", ".join(map(_literal, classes.parameters["labels"]))
    attributes = ", ".join(f"'{a.index}': {_literal(a.name)}" for a in job.counted.attributes)
    return (
        f"{{'dialect': '{dialect}', 'reads': {_literal(source)}, 'makes': {_literal(release)},"
        f" 'k': {job.schema.nodes.sets.promise.k}, 'columns': [{columns}],"
        f" 'attributes': {{ {attributes} }} }}"
    )


def _query(made: Sequence[Step], dialect: Dialect) -> str:
    (release,) = [step for step in made if step.template == "release/staged"]
    (lint,) = [step for step in made if step.template == "hierarchies/lint"]
    (limit,) = [step for step in made if step.template.endswith("too_many_suppressed")]
    classes = made[-1].parameters
    texts = {
        step.creates: templates.render(step.template, **step.parameters)
        for step in made
        if step.creates and step is not release and step.creates != "classes"
    }
    both = {**lint.parameters, **limit.parameters}
    texts["problems"] = templates.render("features/compile/problems", **both)
    all_rows = {**release.parameters, "kept_classes": None}
    texts["released"] = templates.render("release/rows", **all_rows)
    parameters = {name: release.parameters[name] for name in ("names", "sorted")}
    parameters |= {name: classes[name] for name in ("labels", "k")}
    parameters["size"] = free_name(parameters["names"])
    query = templates.render("features/compile/sound_rows", **parameters)
    text = templates.one_query(texts, query, dialect, _SOURCE, _STAND_IN)
    tables, _, release_query = text.rpartition("\n)\nSELECT\n")
    return f"{tables}\n)\n{_LAST}\nSELECT\n{release_query}"


def _require_place(path: Path, release: str) -> None:
    text_files.require_path(path, "--output")
    if path.name != f"{release}.sql":
        text = f"dbt would name the model {path.stem!r}, but the release is {release!r}."
        raise PolicyError.at("--output", text, f"Write it to `{release}.sql`.")
    try:
        ours = not path.exists() or path.read_bytes().startswith(_HEAD.encode())
    except OSError:
        ours = False
    if not ours:
        raise PolicyError.at("--output", f"{path} contains something else.", "Name a new file.")
