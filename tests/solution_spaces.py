"""Solution spaces made up, of any size, for tests of pages."""

import math

from anonsql.features.search.solution_document import (
    ColumnShown,
    Failing,
    LevelShown,
    Satisfying,
    SolutionSpace,
)


def made_up(shape, most=0.5, limit=500, rows=10_000, names=None):
    """A lattice of a shape in which every node of at least the share ``most`` of the greatest
    height satisfies, and suppresses fewer rows and loses more the higher it is."""
    names = names or [f"column {number}" for number in range(1, len(shape) + 1)]
    columns = tuple(
        ColumnShown(
            name=name,
            key=f'"{name}"',
            weight=1.0,
            levels=tuple(
                LevelShown(level=level, name=f"step {level}", example=None, lost=level / (many - 1))
                for level in range(many)
            ),
        )
        for name, many in zip(names, shape)
    )
    top = sum(many - 1 for many in shape)
    least = math.ceil(top * most)
    size = math.prod(shape)
    space = SolutionSpace(
        table="made_up",
        rows=rows,
        k=5,
        promises={},
        limit=limit,
        method="full-domain",
        minimize="loss",
        columns=columns,
        combinations=(tuple(names),),
        size=size,
        satisfied=0,
        minimal=0,
        whole=True,
        satisfying=Satisfying(
            numbers=(), loss=(), suppressed=(), classes=(), min_class=(), minimal=()
        ),
        failing=Failing(numbers=(), suppressed=(), alone=(), combination=()),
        chosen=None,
    )
    levels = {number: space.levels(number) for number in range(1, size + 1)}
    found = [number for number, item in levels.items() if sum(item) >= least]
    ends = [number for number, entry in levels.items() if sum(entry) == least - 1]
    suppressed = [limit * (top - sum(levels[element])) // max(top - least, 1) for element in found]
    return space.model_copy(
        update={
            "satisfied": len(found),
            "minimal": sum(sum(levels[each]) == least for each in found),
            "satisfying": Satisfying(
                numbers=tuple(found),
                loss=tuple(
                    sum(level / (many - 1) for level, many in zip(levels[each], shape)) / len(shape)
                    for each in found
                ),
                suppressed=tuple(
                    max(0, each - number % 7) for number, each in zip(found, suppressed)
                ),
                classes=tuple(1 + number % 5000 for number in found),
                min_class=tuple(5 + number % 300 for number in found),
                minimal=tuple(sum(levels[each]) == least for each in found),
            ),
            "failing": Failing(
                numbers=tuple(ends),
                suppressed=tuple(limit + 1 + number % 90 for number in ends),
                alone=(False,) * len(ends),
                combination=(0,) * len(ends),
            ),
            "chosen": found[0] if found else None,
        }
    )
