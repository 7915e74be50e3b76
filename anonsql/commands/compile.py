"""``anonsql compile``: the recoding of a chosen generalization as plain SQL files for any
warehouse.

The files contain what a run executes after the search: hierarchies as dimension tables, the
equivalence classes, the release, and queries that return offending rows. A manifest gives their
order.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

from anonsql.errors import InvariantError, PolicyError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.job import Job
from anonsql.release.staging import free_name
from anonsql.report.documents import CompiledFile, CompileReport
from anonsql.risks.kept import limits as kept_limits
from anonsql.search.measure import Measured
from anonsql.sql import dialects, templates
from anonsql.sql.dialects import Dialect
from anonsql.star import models
from anonsql.version import __version__

_MANIFEST = "manifest.json"
Step = tuple[str, str, str | None, str, dict[str, Any]]
"""A file's name, what it does, the table it makes (None for a query that returns offending rows),
its template and parameters."""


def write(job: Job, dialect: Dialect, folder: Path, source: str | None) -> CompileReport:
    """Write the files for the job's chosen generalization. ``folder`` is made, unless it holds an
    earlier compilation, which is replaced."""
    if job.policy.release.suppressed == "mask":
        text = (
            "compiled SQL leaves suppressed rows out: whether masked ones would be enough only a"
            " run can tell."
        )
        raise PolicyError.at(
            "release.suppressed", text, "Set it to `remove`, or use `anonsql run`."
        )
    privacy = job.policy.privacy
    if promised := {**models.promised_facts(privacy), **kept_limits.facts(privacy.kept)}:
        text = (
            "compiled SQL can promise k rows and nothing else, and the policy asks for"
            f" {', '.join(promised)}."
        )
        raise PolicyError.at(
            f"privacy.{next(iter(promised))}", text, "Leave it out, or use `anonsql run`."
        )
    _clear(folder)
    named = tuple(
        (source or job.policy.source.table or Path(job.policy.source.file or "").stem).split(".")
    )
    release = tuple(job.policy.release.name.split("."))
    _require_apart(named, release)
    steps = list(_steps(job, named, release))
    made = [creates for _, _, creates, _, _ in steps if creates and creates != ".".join(release)]
    if len(named) == 1 and named[0] in made:
        raise PolicyError.at(
            "--source",
            f"{named[0]!r} is the name of a table that the files make.",
            "Give it with its schema.",
        )
    prefix = f"anonsql_{hashlib.sha256('.'.join(release).encode()).hexdigest()[:8]}_"
    scratch = {name: prefix + name for name in made}
    drops = [
        dialects.translate(templates.render("engines/duckdb/drop", table=name), dialect, scratch)
        for name in sorted(scratch)
    ]
    drop_release = dialects.translate(
        templates.render("engines/duckdb/drop", table=release), dialect
    )
    begin = CompiledFile(
        file="clean_up",
        does="removes the release and what an earlier run left",
        creates=None,
        offenders=False,
    )
    files = [_file(folder, 1, begin, [*drops, drop_release])]
    for number, (name, does, creates, template, parameters) in enumerate(steps, start=2):
        sql = dialects.translate(templates.render(template, **parameters), dialect, scratch)
        entry = CompiledFile(
            file=name,
            does=does,
            creates=scratch.get(creates or "", creates),
            offenders=creates is None,
        )
        files.append(_file(folder, number, entry, [sql]))
    end = CompiledFile(
        file="clean_up",
        does="removes everything but the release: it holds raw values",
        creates=None,
        offenders=False,
    )
    files.append(_file(folder, len(files) + 1, end, drops))
    report = CompileReport(
        dialect=dialect,
        anonsql=__version__,
        sqlglot=version("sqlglot"),
        folder=str(folder),
        source=".".join(named),
        release=".".join(release),
        k=job.schema.nodes.sets.k,
        suppression_limit=job.policy.privacy.suppression_limit,
        levels={each.name: _node(job).levels[each.index] for each in job.counted.attributes},
        files=files,
    )
    (folder / _MANIFEST).write_text(report.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return report


def _require_apart(source: tuple[str, ...], release: tuple[str, ...]) -> None:
    """Raise PolicyError where the files could take the source for the release, and drop it."""
    one, other = [part.casefold() for part in source], [part.casefold() for part in release]
    if one[-1] == other[-1] and (len(one) == 1 or len(other) == 1 or one[-2] == other[-2]):
        found = (
            f"the source {'.'.join(source)} and the release {'.'.join(release)} may be the same"
            " table there, which the files replace."
        )
        raise PolicyError.at("--source", found, "Give both another name, or different schemas.")


def _clear(folder: Path) -> None:
    """Make the folder, or empty it when an earlier compilation is all that it holds."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = sorted(folder.iterdir())
        others = [
            each.name
            for each in files
            if not re.fullmatch(r"[0-9]{2,}_[a-z0-9_]+\.sql", each.name) and each.name != _MANIFEST
        ]
        if files and (others or not _is_ours(folder / _MANIFEST)):
            raise PolicyError.at(
                "--output", f"{folder} holds something else.", "Name a new folder."
            )
        for each in files:
            each.unlink()
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


def _file(folder: Path, number: int, entry: CompiledFile, statements: list[str]) -> CompiledFile:
    """Write statements to a file, one on each line, and return its entry of the manifest."""
    named = entry.model_copy(update={"file": f"{number:02}_{entry.file}.sql"})
    (folder / named.file).write_text("".join(f"{sql};\n" for sql in statements), encoding="utf-8")
    return named


def _node(job: Job) -> Measured:
    """Return the generalization that was chosen."""
    if job.chosen.recoded.node is None:
        raise InvariantError("no generalization was chosen")
    return job.chosen.recoded.node


def _steps(job: Job, source: tuple[str, ...], release: tuple[str, ...]) -> Iterator[Step]:
    """Yield every file after the first, in order."""
    k, levels = job.schema.nodes.sets.k, _node(job).levels
    attributes = [_with_null(each) for each in job.counted.attributes]
    by_index = {each.index: each for each in attributes}
    released = [
        replace(each, attribute=by_index[each.attribute.index]) if each.attribute else each
        for each in job.counted.released
    ]
    counted = {"source": source, "attributes": attributes, "coded": [], "population": ()}
    yield (
        "combinations",
        "counts the source's combinations",
        "combinations",
        "star/combinations",
        counted,
    )
    for a in attributes:
        word = f"{a.index}_{re.sub(r'[^a-z0-9]+', '_', a.name.lower()).strip('_') or 'column'}"
        if a.leaves:
            yield (
                f"leaves_{word}",
                f"the hierarchy of {a.name}",
                f"leaves_{a.index}",
                "star/models/table",
                {"name": f"leaves_{a.index}", "select": "hierarchies/leaves", "a": a},
            )
        made = {"name": f"dim_{a.index}", "select": "hierarchies/grouped"}
        yield (
            f"dim_{word}",
            f"the dimension table of {a.name}",
            f"dim_{a.index}",
            "star/models/table",
            {**made, "a": a, **a.parameters},
        )
    does = "values that a hierarchy misses, levels that do not nest"
    yield "verify_hierarchies", does, None, "hierarchies/lint", {"attributes": attributes}
    chosen = [_at_level(each, levels[each.index]) for each in attributes]
    counting = {"attributes": chosen, "coded": [], "promise": job.schema.nodes.sets.promise}
    yield "cells", "counts the combinations of generalized values", "cells", "star/cells", counting
    keys = [f"c{each.index}" for each in attributes]
    judging = {
        "name": "classes",
        "select": "star/models/classes",
        "table": "cells",
        "keys": keys,
        "promise": job.schema.nodes.sets.promise,
    }
    yield (
        "classes",
        "which of them are classes of the release",
        "classes",
        "star/models/table",
        judging,
    )
    limit = Decimal(str(job.policy.privacy.suppression_limit))
    yield (
        "verify_suppression",
        "more suppressed rows than the policy allows",
        None,
        "commands/compile/too_many_suppressed",
        {"k": k, "limit": limit},
    )
    names = [each.name for each in job.counted.released]
    recode = {
        "source": source,
        "attributes": attributes,
        "released": released,
        "levels": levels,
        "kept_classes": "classes",
    }
    rows = {**recode, "masked": False, "salted": False, "ordering": free_name(names)}
    staged = {"table": release, "select": "release/rows", "names": names, **rows}
    yield (
        "release",
        "the release, rows in random order",
        ".".join(release),
        "release/staged",
        staged,
    )
    labels = [each.name for each in job.counted.released if each.attribute is not None]
    found = {"table": release, "labels": labels, "k": k}
    yield (
        "verify_classes",
        "classes of the release that are smaller than k",
        None,
        "commands/compile/small_classes",
        found,
    )


def _with_null(attribute: Attribute) -> Attribute:
    """Return the attribute as if its column had NULLs, which later rows may have."""
    labels = attribute.null_labels or (None,) * attribute.height + (attribute.top,)
    return replace(attribute, null_labels=labels)


def _at_level(attribute: Attribute, level: int) -> Attribute:
    """Return the attribute as if a level were its lowest."""
    return replace(attribute, policy=attribute.policy.model_copy(update={"min_level": level}))
