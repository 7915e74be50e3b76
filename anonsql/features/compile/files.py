"""The recoding of a chosen generalization as plain SQL files for any warehouse.

The files contain what a run executes after the search: hierarchies as dimension tables, the
equivalence classes, the release, and queries that return offending rows. A manifest gives their
order.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

from anonsql.errors import InvariantError, PolicyError
from anonsql.features.compile.document import CompiledFile, CompileReport
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.job import Job
from anonsql.policy.policy import Policy
from anonsql.privacy.promise import promised_facts
from anonsql.release.staging import free_name
from anonsql.risks.kept import limits as kept_limits
from anonsql.search.measure import Measured
from anonsql.sql import templates
from anonsql.sql.dialects import Dialect
from anonsql.system import text_files
from anonsql.version import __version__

_MANIFEST = "manifest.json"
_BEGIN = "removes the release and what an earlier run left"
_END = "removes everything but the release: it holds raw values"


@dataclass(frozen=True)
class _Step:
    """A file: its name, what it does, its template and parameters, and the table that it makes. A
    file that makes none is a query that returns offending rows."""

    name: str
    does: str
    template: str
    parameters: Mapping[str, Any]
    creates: str | None = None


def write(job: Job, dialect: Dialect, folder: Path, source: str | None) -> CompileReport:
    """Write the files for the job's chosen generalization. ``folder`` is made, unless it holds an
    earlier compilation, which is replaced."""
    policy = job.policy
    _require_k_alone(policy)
    _require_no_surrogates(policy)
    if policy.source.query is not None and source is None:
        text = "the source is a query, and the files need a table or view."
        raise PolicyError.at("--source", text, "Name the one that will be there.")
    _clear(folder)
    named = (source or policy.source.name).split(".")
    release = policy.release.name.split(".")
    _require_apart(named, release)
    steps = [
        *_hierarchy_steps(job, named),
        *_class_steps(job),
        *_release_steps(job, named, release),
    ]
    report = CompileReport(
        dialect=dialect,
        anonsql=__version__,
        sqlglot=version("sqlglot"),
        folder=str(folder),
        source=".".join(named),
        release=".".join(release),
        k=job.schema.nodes.sets.k,
        suppression_limit=policy.privacy.suppression_limit,
        levels={
            attribute.name: _node(job).levels[attribute.index]
            for attribute in job.counted.attributes
        },
        files=_files(folder, dialect, steps, _scratch(steps, named, release), release),
    )
    (folder / _MANIFEST).write_text(report.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return report


def _require_k_alone(policy: Policy) -> None:
    """Raise PolicyError where the policy promises more than k rows, or masks suppressed ones."""
    if policy.release.suppressed == "mask":
        text = (
            "compiled SQL leaves suppressed rows out: whether masked ones would be enough only a"
            " run can tell."
        )
        raise PolicyError.at(
            "release.suppressed", text, "Set it to `remove`, or use `anonsql run`."
        )
    privacy = policy.privacy
    promised = {**promised_facts(privacy), **kept_limits.facts(privacy.kept)}
    if privacy.max_group_loss is not None:
        promised["max_group_loss"] = str(privacy.max_group_loss)
    if promised:
        text = (
            "compiled SQL can promise k rows and nothing else, and the policy asks for"
            f" {', '.join(promised)}."
        )
        raise PolicyError.at(
            f"privacy.{next(iter(promised))}", text, "Leave it out, or use `anonsql run`."
        )


def _require_no_surrogates(policy: Policy) -> None:
    """Raise PolicyError where the policy asks for surrogates, whose secret no file may have."""
    for name in policy.surrogates:
        text = (
            "compiled SQL has no surrogates: their order is a secret of one run, which must stand"
            " in no file."
        )
        remedy = "Use `null` or `constant`, leave it out, or use `anonsql run`."
        raise PolicyError.at(f"columns.{name}.replace", text, remedy)


def _scratch(
    steps: Sequence[_Step], source: Sequence[str], release: Sequence[str]
) -> dict[str, str]:
    """Return the names that scratch tables get in the warehouse: no other release's. Raise
    PolicyError where the source has the name of one."""
    made = [step.creates for step in steps if step.creates]
    made.remove(".".join(release))
    if len(source) == 1 and source[0] in made:
        raise PolicyError.at(
            "--source",
            f"{source[0]!r} is the name of a table that the files make.",
            "Give it with its schema.",
        )
    prefix = f"anonsql_{hashlib.sha256('.'.join(release).encode()).hexdigest()[:8]}_"
    return {name: prefix + name for name in made}


def _files(
    folder: Path,
    dialect: Dialect,
    steps: Sequence[_Step],
    scratch: Mapping[str, str],
    release: Sequence[str],
) -> list[CompiledFile]:
    """Write the files of the steps, and one before and after them that removes what they make;
    return their entries of the manifest."""

    def translated(template: str, parameters: Mapping[str, Any]) -> str:
        return templates.translate(templates.render(template, **parameters), dialect, scratch)

    def written(step: _Step | None, does: str, statements: Sequence[str]) -> CompiledFile:
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
    drops = [translated("engines/duckdb/drop", {"table": name}) for name in sorted(scratch)]
    drop_release = templates.translate(
        templates.render("engines/duckdb/drop", table=tuple(release)), dialect
    )
    files.append(written(None, _BEGIN, [*drops, drop_release]))
    for step in steps:
        files.append(written(step, step.does, [translated(step.template, step.parameters)]))
    files.append(written(None, _END, drops))
    return files


def _require_apart(source: Sequence[str], release: Sequence[str]) -> None:
    """Raise PolicyError where the files could take the source for the release, and drop it."""
    one, other = [part.casefold() for part in source], [part.casefold() for part in release]
    if one[-1] == other[-1] and (len(one) == 1 or len(other) == 1 or one[-2] == other[-2]):
        text = (
            f"the source {'.'.join(source)} and the release {'.'.join(release)} may be the same"
            " table there, which the files replace."
        )
        raise PolicyError.at("--source", text, "Give both another name, or different schemas.")


def _clear(folder: Path) -> None:
    """Make the folder, or empty it when an earlier compilation is all that it holds."""
    text_files.require_path(folder, "--output")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = sorted(folder.iterdir())
        others = [
            column.name
            for column in there
            if not re.fullmatch(r"[0-9]{2,}_[a-z0-9_]+\.sql", column.name)
            and column.name != _MANIFEST
        ]
        if there and (others or not _is_ours(folder / _MANIFEST)):
            raise PolicyError.at(
                "--output", f"{folder} holds something else.", "Name a new folder."
            )
        for path in there:
            path.unlink()
    except OSError as error:
        raise PolicyError.at(
            "--output", f"{folder} cannot be written: {error.strerror}.", "Name another folder."
        ) from None


def _is_ours(manifest: Path) -> bool:
    """Return whether a manifest was written by a compilation."""
    try:
        CompileReport.model_validate_json(manifest.read_bytes())
    except (OSError, ValueError):
        return False
    return True


def _node(job: Job) -> Measured:
    """Return the generalization that was chosen."""
    if job.chosen.recoded.node is None:
        raise InvariantError("no generalization was chosen")
    return job.chosen.recoded.node


def _attributes(job: Job) -> list[Attribute]:
    """Return the attributes as if their columns had NULLs, which later rows may have."""
    return [_with_null(attribute) for attribute in job.counted.attributes]


def _hierarchy_steps(job: Job, source: Sequence[str]) -> Iterator[_Step]:
    """Yield the files that count the source's combinations, make the dimension tables and verify
    these."""
    attributes = _attributes(job)
    counted = {"source": tuple(source), "attributes": attributes, "coded": [], "population": ()}
    yield _Step(
        "combinations",
        "counts the source's combinations",
        "star/combinations",
        counted,
        "combinations",
    )
    for a in attributes:
        word = f"{a.index}_{re.sub(r'[^a-z0-9]+', '_', a.name.lower()).strip('_') or 'column'}"
        if a.leaves:
            listed = replace(a, rows=job.leaves.rows(a.index, a.height + 1))
            name = f"leaves_{a.index}"
            leaves = {"name": name, "select": "hierarchies/leaves", "a": listed}
            yield _Step(
                f"leaves_{word}",
                f"the hierarchy of {a.name}",
                "sql/table",
                leaves,
                f"leaves_{a.index}",
            )
        made = {"name": f"dim_{a.index}", "select": "hierarchies/grouped", "a": a}
        yield _Step(
            f"dim_{word}",
            f"the dimension table of {a.name}",
            "sql/table",
            {**made, **a.parameters},
            f"dim_{a.index}",
        )
    yield _Step(
        "verify_hierarchies",
        "values that a hierarchy misses, levels that do not nest",
        "hierarchies/lint",
        {"attributes": attributes},
    )


def _class_steps(job: Job) -> Iterator[_Step]:
    """Yield the files that find the equivalence classes of the release, and count what they
    suppress."""
    attributes, promise = _attributes(job), job.schema.nodes.sets.promise
    levels = _node(job).levels
    chosen = [_at_level(attribute, levels[attribute.index]) for attribute in attributes]
    yield _Step(
        "cells",
        "counts the combinations of generalized values",
        "star/cells",
        {"attributes": chosen, "coded": [], "promise": promise},
        "cells",
    )
    judging = {
        "name": "classes",
        "select": "privacy/classes",
        "table": "cells",
        "keys": [f"c{attribute.index}" for attribute in attributes],
        "promise": promise,
    }
    yield _Step(
        "classes",
        "which of them are classes of the release",
        "sql/table",
        judging,
        "classes",
    )
    limit = Decimal(str(job.policy.privacy.suppression_limit))
    yield _Step(
        "verify_suppression",
        "more suppressed rows than the policy allows",
        "features/compile/too_many_suppressed",
        {"k": job.schema.nodes.sets.k, "limit": limit},
    )


def _release_steps(job: Job, source: Sequence[str], release: Sequence[str]) -> Iterator[_Step]:
    """Yield the files that make the release and verify its classes."""
    attributes = _attributes(job)
    by_index = {attribute.index: attribute for attribute in attributes}
    released = [
        replace(column, attribute=by_index[column.attribute.index]) if column.attribute else column
        for column in job.counted.released
    ]
    names = [column.name for column in released]
    staged = {
        "table": tuple(release),
        "select": "release/rows",
        "names": names,
        "source": tuple(source),
        "attributes": attributes,
        "released": released,
        "levels": _node(job).levels,
        "kept_classes": "classes",
        "masked": False,
        "salted": False,
        "ordering": free_name(names),
    }
    does = "the release, rows in random order"
    yield _Step("release", does, "release/staged", staged, ".".join(release))
    labels = [column.name for column in released if column.attribute is not None]
    yield _Step(
        "verify_classes",
        "classes of the release that are smaller than k",
        "features/compile/small_classes",
        {"table": tuple(release), "labels": labels, "k": job.schema.nodes.sets.k},
    )


def _with_null(attribute: Attribute) -> Attribute:
    """Return the attribute as if its column had NULLs, which later rows may have."""
    labels = attribute.null_labels or (None,) * attribute.height + (attribute.top,)
    return replace(attribute, null_labels=labels)


def _at_level(attribute: Attribute, level: int) -> Attribute:
    """Return the attribute as if a level were its lowest."""
    return replace(attribute, policy=attribute.policy.model_copy(update={"min_level": level}))
