"""The stages of a job, in order. What a stage needs, its parameters say by their types; what it
gives, its result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from types import NoneType
from typing import Any, get_args, get_type_hints

from anonsql.errors import InvariantError
from anonsql.jobs.decisions import build_star, choose, record_lattice, search, search_all
from anonsql.jobs.job import Job
from anonsql.jobs.publishing import (
    count_left_out,
    guard_release,
    publish_release,
    stage,
    verify_release,
)
from anonsql.jobs.replaced import compare_with_replaced
from anonsql.jobs.sources import (
    build_hierarchies,
    code_values,
    count_combinations,
    fingerprint_source,
    fit_scheme,
    open_population,
    open_source,
    require_sound,
    warn,
)
from anonsql.jobs.timing import timed
from anonsql.jobs.warnings import look_at_text

Stage = Callable[..., Any]

OPEN_SOURCE = (open_source, open_population)
DIMENSIONS = (open_source, count_combinations, build_hierarchies)
CHECK = (*OPEN_SOURCE, count_combinations, build_hierarchies, code_values)
SEARCH = (*CHECK, require_sound, build_star, search_all, record_lattice)
OPEN = (guard_release, *OPEN_SOURCE)
OPEN_RUN = (*OPEN, fingerprint_source)
FIT = (count_combinations, build_hierarchies, code_values, require_sound)
DECIDE = (build_star, search, record_lattice, choose)
CHOOSE = (*FIT, *DECIDE)
FIT_AGAIN = (count_combinations, build_hierarchies, code_values, fit_scheme, require_sound)
DECIDE_AGAIN = (build_star, choose)
CHOOSE_AGAIN = (*FIT_AGAIN, *DECIDE_AGAIN)
LOOK_AT_TEXT = (look_at_text, require_sound)
PROVE = (stage, count_left_out, verify_release)
PUBLISH = (*PROVE, compare_with_replaced, publish_release)
RELEASE = (*FIT, warn, *DECIDE, *PUBLISH)
APPLY = (*FIT_AGAIN, warn, *DECIDE_AGAIN, *PUBLISH)
RUN = (*OPEN_RUN, *RELEASE)
TRY = (*OPEN_SOURCE, *CHOOSE, *PROVE)
DRY_RUN = (*OPEN_SOURCE, *FIT, warn, *DECIDE, *PROVE)


def go_through(job: Job, stages: Sequence[Stage]) -> None:
    """Run the stages and keep their results in the job, timing each and counting its statements."""
    for function in stages:
        with timed(job, function.__name__):
            result = function(*_given(job, function))
        if result is not None:
            setattr(job, results()[type(result)], result)


@cache
def results() -> dict[type, str]:
    """Return the field of a job that holds the result of each type."""
    return {_kind(get_type_hints(Job)[name])[0]: name for name in Job.__annotations__}


@cache
def needs(stage: Stage) -> list[tuple[type, bool]]:
    """Return the type of each of a stage's parameters, and whether the stage can do without it. A
    parameter without a type is the whole job."""
    hints = get_type_hints(stage)
    return [_kind(hints.get(name, Job)) for name in inspect.signature(stage).parameters]


def _kind(hint: Any) -> tuple[type, bool]:
    """Return the type of a hint, and whether it may be None."""
    kinds = get_args(hint) or (hint,)
    return next(kind for kind in kinds if kind is not NoneType), NoneType in kinds


def _given(job: Job, stage: Stage) -> list[object]:
    """Return the arguments of a stage: the job as its session, and results of earlier stages. Raise
    InvariantError where none has given what it needs."""
    found: list[object] = []
    for kind, optional in needs(stage):
        result = job if issubclass(Job, kind) else getattr(job, results()[kind], None)
        if result is None and not optional:
            text = f"the stage {stage.__name__} needs {kind.__name__}, which none before it gives"
            raise InvariantError(text)
        found.append(result)
    return found
