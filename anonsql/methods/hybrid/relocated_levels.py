"""Write the result of relocation between the groups of a full-domain generalization: which rows are
released as which group. Rows are selected only here, once."""

from __future__ import annotations

import numpy as np

from anonsql.methods import groups
from anonsql.methods.groups import Cells
from anonsql.methods.hybrid.relocated_groups import Groups, Values
from anonsql.methods.hybrid.words import words
from anonsql.release.salts import fresh_salt
from anonsql.search.frequency import REQUESTS, FrequencySets
from anonsql.search.roll_up import RollUps
from anonsql.star.lattice import Levels

_SUPPRESSED = -1


def make_groups(cells: Cells, sets: FrequencySets, table: str) -> None:
    """Make ``node_groups`` from a new table of frequency sets."""
    total = sum(attribute.policy.weight for attribute in cells.star.attributes)
    shared = {
        "requests": REQUESTS,
        "keys": sets.base.keys,
        "attributes": cells.star.attributes,
        "total": total,
        "words": words(cells.star.attributes, cells.star.codes),
    }
    sets.base.lay_out_steps()
    cells.engine.run("methods/hybrid/groups", table=table, **shared)


def lay_out(
    cells: Cells, sets: FrequencySets, roll_ups: RollUps, levels: Levels, made: Groups
) -> dict[int, int]:
    """Make ``assigned``, with the group that each portion comes from as ``home``, and ``groups`` of
    the generalization to ``levels``; return the number of changed entries of each attribute."""
    run, attributes, promise = cells.engine.run, cells.star.attributes, cells.promise
    table, _ = roll_ups.frequency_sets([levels])
    make_groups(cells, sets, table)
    stretches = np.array(_stretches(made), dtype=np.int64).reshape(-1, 4 + len(promise.extras)).T
    names = ("home", *promise.extras, "target", "first", "last")
    cells.engine.load_numbers("stretches", dict(zip(names, stretches, strict=True)))
    with fresh_salt(cells.engine):
        run("methods/hybrid/assigned", attributes=attributes, promise=promise, levels=levels)
    run("methods/hybrid/regions", attributes=attributes, levels=levels)
    groups.make_nodes(cells)
    groups.label_regions(cells)
    changed = dict(cells.engine.query("methods/hybrid/changed", attributes=attributes))
    cells.engine.drop(table, "node_groups", "stretches", "regions", "nodes")
    return changed


def _stretches(made: Groups) -> list[tuple[int, ...]]:
    """Return the rows by values that move: (home, values …, target, first, last)."""
    ends: dict[tuple[int, Values], int] = {}
    result = list[tuple[int, ...]]()
    for move in made.moves:
        for values, rows in _by_value(made, move.home, move.values, move.rows):
            first = ends.get((move.home, values), 0) + 1
            ends[move.home, values] = first + rows - 1
            result.append((move.home, *values, move.target, first, first + rows - 1))
    for (home, values), end in ends.items():
        rest = made.values[home][values] if made.values else int(made.homes[home])
        if end < rest:
            result.append((home, *values, home, end + 1, rest))
    for home in np.flatnonzero((made.need > 0) & (made.sizes > 0)).tolist():
        result += [
            (home, *values, _SUPPRESSED, 1, rows)
            for values, rows in _by_value(made, home, None, int(made.homes[home]))
        ]
    return result


def _by_value(
    made: Groups, home: int, values: Values | None, rows: int
) -> list[tuple[Values, int]]:
    if not made.values:
        return [((), rows)]
    return [(values, rows)] if values is not None else list(made.values[home].items())
