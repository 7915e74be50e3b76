"""Making a completed table by SQL, on the engine that has the release.

Each label of a column covers ranges of atoms (:mod:`anonsql.completion.atoms`), and every atom has
a weight (:mod:`anonsql.completion.weights`), in whole numbers that add up to 2**50 at most. A row
draws a whole number below the weight of its label; ranges and atoms, looked up by it, give the
value. The number is a hash of the release's seed, the number of the draw, the row's labels and its
position among the rows with the same labels: every reader of the release draws the same.

Where there is a model of all columns together (:mod:`anonsql.completion.joint`), each row draws a
component by its combination of labels and kept values, and each component has weights of its own.

Where a method releases a class by its least and greatest value, or by the set of its values, each
of these occurs in it. The rows of such a class take turns in an order that a hash of the class
begins; the row at the turn of such a value gets it, so often that its expected count is that of a
class known to have it; all else is drawn as above. If a method puts values into the class of least
loss that covers them (:mod:`anonsql.completion.least_loss`), rows whose values are in another class
of less loss draw again, a few times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonsql.completion.columns import (
    CompletedColumn,
    completed_columns,
    draw_name,
    names_of,
)
from anonsql.completion.joint import AGAIN
from anonsql.completion.looked_up import look_up, typed_labels
from anonsql.completion.modelling import STRETCHES, divided
from anonsql.engines.base import Column, Engine, Relation, ReleaseTables
from anonsql.policy.methods import traits
from anonsql.policy.release_parts import COMPLETED

SEED = "anonsql"
"""The default seed: all readers of a release get the same values."""
MADE = 5
"""The default number of draws."""
_AT_ONCE = 6
"""The number of columns whose values one statement draws: planning takes the square of its
joins."""
_HASHED = 12
"""How many columns take their numbers from hashes of one salt; some are drawn at once."""


@dataclass(frozen=True)
class Drawn:
    """A completed table as scratch of an ``engine``: its ``columns``, and the ``parameters`` of the
    template ``completion/completed``, which returns it as it is published: ``drawn`` of them is the
    scratch table, with a column ``v<index>`` for each of the columns; ``by`` is how it was drawn,
    as the template ``completion/drawn`` takes it."""

    engine: Engine
    columns: Sequence[CompletedColumn]
    parameters: Mapping[str, Any]
    by: Mapping[str, Any]

    @property
    def titles(self) -> list[Column]:
        """The columns as they are published."""
        return names_of(self.columns)

    def drop(self) -> None:
        """Remove the scratch tables that are as large as the release."""
        self.engine.drop(
            self.parameters["drawn"],
            *(f"completed_bucket_{column.index}" for column in self.parameters["buckets"]),
        )


def draw(
    located: ReleaseTables,
    about: Mapping[str, str],
    *,
    draws: int,
    seed: str,
    types: Mapping[str, Column] | None = None,
) -> Drawn:
    """Draw the completed table of a release into scratch tables of its engine, all of whose names
    begin with ``completed_``. ``types`` are columns with the types of the source; without, those of
    the completed table that the release has. Nothing but the tables of the release is read."""
    engine = located.engine
    published = located.extras.get(COMPLETED)
    if types is None and published is not None:
        types = {column.name: column for column in engine.columns(published)}
    columns = completed_columns(located, about, types or {})
    labeled = [column for column in columns if column.labeled]
    kept = [column for column in columns if column.held.kept]
    shared: dict[str, Any] = {
        "table": located.rows,
        "seed": seed,
        "draws": range(1, draws + 1),
        "columns": columns,
        "labeled": labeled,
        "kept": kept,
        "divided": divided(kept),
        "stretches": STRETCHES,
        "buckets": [column for column in columns if column.bucketed is not None],
        "numbered": engine.own["hex_number"],
        "fence": engine.own["fence"],
        **typed_labels(labeled),
    }
    shared |= look_up(located, shared, traits(about.get("method", "")))
    drawn = _drawn(engine, shared)
    if shared["patterns"]:
        drawn = _misplaced_again(engine, shared, drawn)
    engine.drop("completed_rows", "completed_combinations")
    for column in shared["buckets"]:
        _make(engine, "completion/bucket", f"completed_bucket_{column.index}", c=column)
    name = draw_name(columns)
    parameters = {"drawn": drawn, "shown": columns, "draw": name, "buckets": shared["buckets"]}
    return Drawn(engine, columns, parameters, shared)


def _drawn(engine: Engine, shared: Mapping[str, Any], again: str = "") -> str:
    """Draw the values of all rows, or of misplaced rows of ``again``; return the scratch table that
    has them."""
    labeled: Sequence[CompletedColumn] = shared["labeled"]
    before = ""
    for start in range(0, max(len(labeled), 1), _AT_ONCE):
        into = f"completed_{'again' if again else 'drawn'}_{start}"
        chosen = labeled[start : start + _AT_ONCE]
        taken = {
            "chosen": chosen,
            "done": labeled[:start],
            "before": before,
            "again": again,
            "times": range(1, AGAIN + 1),
            **_numbers(labeled, start, shared),
        }
        _make(engine, "completion/drawn", into, **taken, **shared)
        if before:
            engine.drop(before)
        before = into
    return before


def _misplaced_again(engine: Engine, shared: Mapping[str, Any], drawn: str) -> str:
    """Draw the rows again whose values are in a class of less loss; return the table of all
    rows."""
    _make(engine, "completion/misplaced", "completed_misplaced", drawn=drawn, **shared)
    again = _drawn(engine, shared, again=drawn)
    _make(engine, "completion/misplaced", "completed_misplaced_again", drawn=again, **shared)
    both = {"drawn": drawn, "again": again}
    _make(engine, "completion/settled", "completed_settled", **both, **shared)
    engine.drop(drawn, again, "completed_misplaced", "completed_misplaced_again")
    return "completed_settled"


def scratch(
    located: ReleaseTables,
    about: Mapping[str, str],
    *,
    types: Mapping[str, Column] | None = None,
    number: int = 1,
) -> Relation:
    """Make the completed table of a release as a scratch table, with the default seed; ``number``
    distinguishes it from others. Return its relation. Its columns have the ``types``; without, the
    types of the release's completed table."""
    drawn = draw(located, about, draws=MADE, seed=SEED, types=types)
    into = f"completed_made_{number}"
    titles = [column.name for column in drawn.titles]
    _make(located.engine, "completion/made", into, titles=titles, **drawn.parameters)
    drawn.drop()
    return (into,)


def _make(engine: Engine, template: str, into: str, **parameters: Any) -> None:
    engine.drop(into)
    engine.run(template, into=into, **parameters)


def _numbers(
    labeled: Sequence[CompletedColumn], start: int, shared: Mapping[str, Any]
) -> dict[str, Any]:
    """Return which hashes the columns from ``start`` on take their numbers from, and where in them
    these begin: a hash has three numbers of ten hexadecimal digits. Columns that draw nothing need
    none."""
    first = start - start % _HASHED
    alike = labeled[first : first + _HASHED]
    own = {column.index for column in labeled[start : start + _AT_ONCE]}
    placing = [column for column in alike if column.index in shared["placing"]]
    blocks, turns = (
        {c.index: (n // 3, 10 * (n % 3) + 1) for n, c in enumerate(columns) if c.index in some}
        for columns, some in ((alike, own - set(shared["single"])), (placing, own))
    )
    salt = f"{first // _HASHED + 1}."
    hashes, orders = (sorted({n for n, _ in taken.values()}) for taken in (blocks, turns))
    return {
        "blocks": blocks,
        "hashes": [(n, f"{salt}{n}") for n in hashes],
        "turns": turns,
        "orders": [(n, "" if (first, n) == (0, 0) else f"{salt}{n}") for n in orders],
    }
