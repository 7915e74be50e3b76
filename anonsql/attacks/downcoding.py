"""Downcoding: giving generalized entries of a release finer values again (Cohen: Attacks on
deidentification's defenses, USENIX Security 2022).

The attacker has the release and its hierarchies, and knows nobody. He takes every label for the
value that it most likely stands for, by how frequent values are in the release as a whole. The
control takes any value that it may stand for, each as likely as the others. Cohen's attackers also
know that a release was minimal, and the distribution that rows come from; these do not.
"""

from __future__ import annotations

from collections.abc import Iterator

from anonsql.attacks.guessing import Attacker, Outcome, expected
from anonsql.attacks.sides import SOURCE
from anonsql.system.arrays import np


def downcode(attacker: Attacker) -> Iterator[Outcome]:
    """Guess of each column the values that its labels in targets' rows stand for. ``certain`` are
    targets whose label can be a single value only, and is not that value itself, by its level."""
    sides, steps = attacker.sides, len(attacker.sides.labels)
    sides.draw(SOURCE, attacker.attempts, attacker.random)
    sides.look_for(SOURCE, sides.labels)
    pairs = sides.joined(sides.labels)
    try:
        for column in sides.labels:
            sides.run("attacks/finer", "attacked_finer", facet=column.number)
            found = sides.engine.query("attacks/downcoded", steps=steps, facet=column.number)
            _, times, several, hits, evenly, single = np.array(found, float).reshape(-1, 6).T
            rows = np.where(several > 0, several, 1)
            guessed = np.where(several > 0, times, 0)
            yield Outcome(
                [],
                expected(guessed, hits / rows),
                expected(guessed, evenly / rows),
                [column.name],
                int(times[(several == 0) & (single > 0)].sum()) if sides.level(column) else None,
            )
    finally:
        pairs.drop()
