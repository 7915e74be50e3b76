"""The steps of a recoding: hierarchies, equivalence classes, the release, and its checks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

from anonsql.engines.base import Column
from anonsql.errors import InvariantError, PolicyError
from anonsql.features.compile.document import CompiledFile, CompileReport
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.job import Job
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.promise import promised_facts
from anonsql.risks.kept import limits as kept_limits
from anonsql.search.roll_up import Measured
from anonsql.sql.dialects import Dialect
from anonsql.version import __version__


@dataclass(frozen=True)
class Step:
    """A step: its name, its purpose, its template and parameters, and the table that it creates.
    Without a table it is a query for offending rows."""

    name: str
    does: str
    template: str
    parameters: Mapping[str, Any]
    creates: str | None = None


def of(job: Job, source: Sequence[str], release: Sequence[str]) -> list[Step]:
    """Return the steps in order, for the dotted names of source and release."""
    return [
        *_hierarchy_steps(job, source),
        *_class_steps(job),
        *_release_steps(job, source, release),
    ]


def names(policy: TablePlan, source: str | None) -> tuple[list[str], list[str]]:
    """Return the dotted names of source and release where the SQL will run. Raise PolicyError if
    the policy asks for more than the steps can do."""
    _require_k_alone(policy)
    _require_no_surrogates(policy)
    if policy.source.query is not None and source is None:
        text = "the source is a query, and compiled SQL needs a table or view."
        raise PolicyError.at("--source", text, "Name the table or view that will exist.")
    if policy.source.mends and policy.source.file is None and source is None:
        text = (
            "the policy corrects values while they are read, and compiled SQL reads them unchanged."
        )
        raise PolicyError.at("--source", text, "Name a view that corrects them in the same way.")
    return (source or policy.source.name).split("."), policy.release.name.split(".")


def report(
    job: Job,
    dialect: Dialect,
    folder: Path,
    named: tuple[Sequence[str], Sequence[str]],
    files: list[CompiledFile],
) -> CompileReport:
    """Return the document of the files in a folder; ``named`` are source and release."""
    return CompileReport(
        dialect=dialect,
        anonsql=__version__,
        sqlglot=version("sqlglot"),
        folder=str(folder),
        source=".".join(named[0]),
        release=".".join(named[1]),
        k=job.schema.nodes.sets.promise.k,
        suppression_limit=job.policy.privacy.suppression_limit,
        levels={
            attribute.name: _node(job).levels[attribute.index]
            for attribute in job.counted.attributes
        },
        files=files,
    )


def _require_k_alone(policy: TablePlan) -> None:
    if policy.release.suppressed == "mask":
        text = (
            "compiled SQL leaves suppressed rows out: only a run can decide whether masked rows"
            " would be enough."
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
            "compiled SQL can promise only k rows, and the policy also promises"
            f" {', '.join(promised)}."
        )
        raise PolicyError.at(
            f"privacy.{next(iter(promised))}", text, "Leave it out, or use `anonsql run`."
        )


def _require_no_surrogates(policy: TablePlan) -> None:
    for name in policy.surrogates:
        text = (
            "compiled SQL has no surrogates: they depend on a secret of a single run, which must"
            " not be in a file."
        )
        remedy = "Use `null` or `constant`, leave it out, or use `anonsql run`."
        raise PolicyError.at(f"columns.{name}.replace", text, remedy)


def _node(job: Job) -> Measured:
    if job.chosen.recoded.node is None:
        raise InvariantError("no generalization was chosen")
    return job.chosen.recoded.node


def _attributes(job: Job) -> list[Attribute]:
    return [_with_null(attribute) for attribute in job.counted.attributes]


def _hierarchy_steps(job: Job, source: Sequence[str]) -> Iterator[Step]:
    attributes = _attributes(job)
    counted = {"source": tuple(source), "attributes": attributes, "coded": [], "population": ()}
    does = "counts the source's combinations"
    yield Step("combinations", does, "star/combinations", counted, "combinations")
    for a in attributes:
        word = f"{a.index}_{re.sub(r'[^a-z0-9]+', '_', a.name.lower()).strip('_') or 'column'}"
        if a.leaves:
            listed = replace(a, rows=job.leaves.rows(a.index, a.height + 1))
            name = f"leaves_{a.index}"
            leaves = {"name": name, "select": "hierarchies/leaves", "a": listed}
            yield Step(f"leaves_{word}", f"the hierarchy of {a.name}", "sql/table", leaves, name)
        name, does = f"dim_{a.index}", f"the dimension table of {a.name}"
        made = {"name": name, "select": "hierarchies/grouped", "a": a, **a.parameters}
        yield Step(f"dim_{word}", does, "sql/table", made, name)
    yield Step(
        "verify_hierarchies",
        "values that a hierarchy lacks, levels that do not nest",
        "hierarchies/lint",
        {"attributes": attributes},
    )


def _class_steps(job: Job) -> Iterator[Step]:
    attributes, promise = _attributes(job), job.schema.nodes.sets.promise
    levels = _node(job).levels
    chosen = [_at_level(attribute, levels[attribute.index]) for attribute in attributes]
    counted = {"attributes": chosen, "coded": [], "promise": promise}
    yield Step(
        "cells", "counts the combinations of generalized values", "star/cells", counted, "cells"
    )
    judging = {
        "name": "classes",
        "select": "privacy/classes",
        "table": "cells",
        "keys": [f"c{attribute.index}" for attribute in attributes],
        "promise": promise,
    }
    does = "which of them are classes of the release"
    yield Step("classes", does, "sql/table", judging, "classes")
    limit = Decimal(str(job.policy.privacy.suppression_limit))
    yield Step(
        "verify_suppression",
        "more suppressed rows than the policy allows",
        "features/compile/too_many_suppressed",
        {"k": job.schema.nodes.sets.promise.k, "limit": limit},
    )


def _release_steps(job: Job, source: Sequence[str], release: Sequence[str]) -> Iterator[Step]:
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
        "links": {},
        "ordering": None,
        "sorted": [Column(c.name, c.type, c.column.comparable) for c in released],
    }
    does = "the release, rows sorted by their content"
    yield Step("release", does, "release/staged", staged, ".".join(release))
    labels = [column.name for column in released if column.attribute is not None]
    yield Step(
        "verify_classes",
        "classes of the release that are smaller than k",
        "features/compile/small_classes",
        {"table": tuple(release), "labels": labels, "k": job.schema.nodes.sets.promise.k},
    )


def _with_null(attribute: Attribute) -> Attribute:
    """Return the attribute as if its column had NULLs, which later rows may have."""
    labels = attribute.null_labels or (None,) * attribute.height + (attribute.top,)
    return replace(attribute, null_labels=labels)


def _at_level(attribute: Attribute, level: int) -> Attribute:
    """Return the attribute as if a level were its lowest."""
    return replace(attribute, policy=attribute.policy.model_copy(update={"min_level": level}))
