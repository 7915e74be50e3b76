"""``anonsql.read``: draw plain values for the labels of a release, several times, and pool the
results of each draw."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any

from anonsql.completion import expected, table
from anonsql.engines.base import Context, ReleaseTables
from anonsql.errors import PolicyError
from anonsql.features.read.pooling import Pooled, pooled
from anonsql.grammar.literals import day, moment
from anonsql.jobs.workspace import private_memory, scratch
from anonsql.policy.envelope import EngineSettings
from anonsql.presentation import notebook
from anonsql.presentation.tree import Figures, Sentence
from anonsql.query import opening
from anonsql.system.journal import Journal
from anonsql.system.numbers import counted
from anonsql.verification.facts import facts_of

_SHOWN = 10
"""The rows that a notebook shows."""


@dataclass(frozen=True, repr=False)
class ReadRelease:
    """A release with plain values instead of its labels: the names of the ``columns`` and the
    ``rows`` of every draw. A drawn value is any value that its label covers, not a person's own."""

    columns: list[str]
    rows: list[list[tuple[Any, ...]]]
    _expected: Callable[[], tuple[list[str], list[list[Any]]]] = field(compare=False)

    def __repr__(self) -> str:
        """Return a description in one line, without values."""
        size = f"{counted(len(self.rows), 'draw')} of {counted(len(self.rows[0]), 'row')}"
        return f"<{size}: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """Return the first rows of the first draw, for notebooks."""
        shown = [["NULL" if value is None else value for value in row] for row in self.rows[0]]
        says = f"{self!r} Values are drawn from the range of each label. First rows of draw 1:"
        return notebook.html([Sentence(says), Figures(self.columns, shown[:_SHOWN])])

    @cached_property
    def draws(self) -> list[Any]:
        """A data frame of pandas for every draw: all released rows, in another order in each.
        Raise PolicyError without pandas."""
        return [_frame(rows, self.columns) for rows in self.rows]

    def expected(self) -> Any:
        """Return a data frame of pandas with the expected values of every released row: the mean of
        a number or date, the probability of each text or truth value in a column ``name=value``, by
        the weights that values are drawn with; kept columns are unchanged. Of
        ``cell-generalization`` it leaves out that some rows draw again (release-reference.md, How
        values are drawn). It serves where draws would add chance: a mean, a share, a linear model's
        columns. Anything that is not linear in them (a variance, a product of columns) needs draws.
        Raise PolicyError without pandas."""
        columns, rows = self._expected()
        return _frame(rows, columns)

    def pool(self, fit: Callable[[Any], Any]) -> Pooled:
        """Fit a model to every draw, and return the estimates pooled by Rubin's rules (see
        :func:`anonsql.features.read.pooling.pooled`). ``fit`` takes a data frame and returns a
        result with ``params`` and ``bse``, as statsmodels' are, or a pair of the estimates and
        their standard errors, each a mapping by name."""
        return pooled([fit(frame) for frame in self.draws])


def read(
    release: object,
    *,
    table_name: str | None = None,
    draws: int = table.MADE,
    seed: str = table.SEED,
) -> ReadRelease:
    """Read a release as plain values: ``draws`` copies in which every label is replaced by a random
    value that it covers, with the types of the bounds or labels.

    ``release`` is given as to ``anonsql.query``; ``table_name`` names the released table if the
    release has several. Values are drawn as those of its completed table are. The same ``seed``
    draws the same values. Only the release is read. Raise PolicyError where there is none, or
    ``draws`` is no positive number."""
    if draws < 1:
        raise PolicyError.at("draws", f"found {draws}.", "At least one draw is needed.")
    with _located(release, table_name) as located:
        drawn = table.draw(located, facts_of(located), draws=draws, seed=seed)
        asked = {"sorted": drawn.titles, **drawn.parameters}
        rows = located.engine.query("completion/ordered", **asked)

    def of_rows() -> tuple[list[str], list[list[Any]]]:
        with _located(release, table_name) as again:
            once = table.draw(again, facts_of(again), draws=1, seed=seed)
            return expected.of_rows(again.engine, once)

    size = len(drawn.titles)
    by_draw: list[list[tuple[Any, ...]]] = [[] for _ in range(draws)]
    kinds = [column.kind for column in drawn.titles[1:]]
    for row in rows:
        values = tuple(map(_typed, row[1:size], kinds))
        by_draw[int(row[0]) - 1].append(values)
    return ReadRelease([column.name for column in drawn.titles[1:]], by_draw, of_rows)


@contextmanager
def _located(release: object, table_name: str | None) -> Iterator[ReleaseTables]:
    journal = Journal()
    with private_memory(), scratch() as folder:
        location, policy = opening.given(opening.on_disk(release, folder))
        settings = policy.engine if policy is not None else EngineSettings()
        context = Context(folder, settings, journal, purpose="anonsql read", reading=True)
        name = table_name or (policy.release.name if policy is not None else None)
        if name is None:
            known = opening.tables_of(location, context) if location.is_file else []
            if len(known) != 1:
                text = f"{location} contains {len(known)} released tables."
                raise PolicyError.at("table_name", text, "Name the one to read.")
            name = known[0]
        with opening.located(location, [name], context) as (located,):
            opening.require_rows(facts_of(located))
            yield located


def _frame(rows: list[Any], columns: list[str]) -> Any:
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        text = "to read a release into data frames, pandas must be installed."
        raise PolicyError.at("read", text, "pip install pandas") from None
    frame = pandas.DataFrame(rows, columns=columns)
    for name in frame.select_dtypes(include="object").columns:
        known = frame[name].dropna()
        if len(known) and isinstance(known.iloc[0], date):
            frame[name] = pandas.to_datetime(frame[name], errors="coerce")
    return frame


def _typed(value: Any, kind: str) -> Any:
    """Return a date or timestamp that an engine returns as text in its Python type."""
    if not isinstance(value, str) or kind not in ("date", "timestamp"):
        return value
    return day(value) if kind == "date" else moment(value)
