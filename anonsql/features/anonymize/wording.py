"""Messages about a data frame: they are the messages of a job, with the frame instead of its
source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from anonsql.errors import PolicyError, PrivacyError, Problem

_WORDS = (
    (re.compile(r"\S*[/\\]frame\.duckdb\b"), "the frame"),
    (re.compile(r"\bthe source\b"), "the frame"),
    (
        re.compile(r"\bin a view( of the database, or in a frame| of the database)?\b"),
        "in the frame",
    ),
    (re.compile(r"--show-values\b"), "`show_values=True`"),
)


def of_frame(text: str) -> str:
    """Return a message with the frame instead of the source.

    >>> of_frame("the source has no such column.")
    'the frame has no such column.'
    """
    for pattern, words in _WORDS:
        text = pattern.sub(words, text)
    return text


@contextmanager
def about_frame(index: Sequence[str] = ()) -> Iterator[None]:
    """Word errors about the policy or its promise as those of a frame; ``index`` has the names of
    its index."""
    try:
        yield
    except PolicyError as error:
        raise PolicyError([_reworded(problem, index) for problem in error.problems]) from None
    except PrivacyError as error:
        raise PrivacyError(of_frame(str(error))) from None


def reworded(problem: Problem) -> Problem:
    """Return a problem with the frame instead of the source."""
    return replace(problem, found=of_frame(problem.found), remedy=of_frame(problem.remedy))


def _reworded(problem: Problem, index: Sequence[str]) -> Problem:
    if "no such column" in problem.found:
        for name in index:
            if problem.where in (f"columns.{name}", f"source.columns.{name}"):
                found = "this is the frame's index, and an index is no column."
                remedy = "Give the frame as `frame.reset_index()`, or remove this entry."
                return Problem(problem.where, found, remedy, problem.unmet)
    return reworded(problem)
