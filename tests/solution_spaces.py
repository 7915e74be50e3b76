"""Solution spaces made up, of any size, for tests of pages."""

import itertools
import math

from anonsql.features.search.document import ColumnShown, LevelShown, SearchNode, SolutionSpace
from anonsql.features.search.solution_space import front, shown


def made_up(shape, most=0.5, limit=500, rows=10_000, names=None):
    """A lattice of a shape in which every node of at least the share ``most`` of the greatest
    height satisfies, and suppresses fewer rows and loses more the higher it is. The first one is
    chosen."""
    names = names or [f"column {number}" for number in range(1, len(shape) + 1)]
    columns = tuple(
        ColumnShown(
            name=name,
            key=f'"{name}"',
            levels=tuple(
                LevelShown(level=level, name=f"step {level}", example=None, lost=level / (many - 1))
                for level in range(many)
            ),
        )
        for name, many in zip(names, shape)
    )
    top = sum(many - 1 for many in shape)
    least = math.ceil(top * most)
    nodes = [
        SearchNode(
            levels=dict(zip(names, levels)),
            height=sum(levels),
            minimal=sum(levels) == least,
            suppressed=max(0, limit * (top - sum(levels)) // max(top - least, 1) - number % 7),
            classes=1 + number % 5000,
            min_class=5 + number % 300,
            loss=sum(level / (many - 1) for level, many in zip(levels, shape)) / len(shape),
        )
        for number, levels in enumerate(itertools.product(*map(range, shape)), start=1)
        if sum(levels) >= least
    ]
    kept = shown(nodes, nodes[0].levels)
    return SolutionSpace(
        table="made_up",
        rows=rows,
        k=5,
        promises={},
        limit=limit,
        method="full-domain",
        minimize="loss",
        columns=columns,
        size=math.prod(shape),
        satisfied=len(nodes),
        minimal=sum(node.minimal for node in nodes),
        nodes=tuple(kept),
        front=tuple(front(kept)),
        chosen=kept.index(nodes[0]),
    )
