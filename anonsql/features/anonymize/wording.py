"""Messages about a data frame: they are the messages of a job, with the frame instead of its
source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

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
def about_frame() -> Iterator[None]:
    """Word errors about the policy or its promise as those of a frame."""
    try:
        yield
    except PolicyError as error:
        raise PolicyError([_reworded(problem) for problem in error.problems]) from error
    except PrivacyError as error:
        raise PrivacyError(of_frame(str(error))) from error


def _reworded(problem: Problem) -> Problem:
    return Problem(problem.where, of_frame(problem.found), of_frame(problem.remedy), problem.unmet)
