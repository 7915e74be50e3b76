"""The classes of a chosen full-domain generalization, and whether suppressed rows may be released
as ``*``."""

from __future__ import annotations

from anonsql.search.frequency import FrequencySets
from anonsql.search.measure import Measured


def judge(sets: FrequencySets, frequencies: str, classes: str) -> None:
    """Make the table ``classes``: the classes of a node by their codes c1 … cn, with n rows and ok,
    whether they keep the promise."""
    keys = [f"c{each.index}" for each in sets.star.attributes]
    sets.engine.run(
        "star/models/table",
        name=classes,
        select="star/models/classes",
        table=frequencies,
        keys=keys,
        promise=sets.promise,
    )


def maskable(sets: FrequencySets, node: Measured, classes: str, frequencies: str) -> bool:
    """Return whether the suppressed rows of a node, masked, are distinct from its classes and form
    a class that keeps the promise. ``classes`` is the table made by :func:`judge`, ``frequencies``
    that of the node's frequency set."""
    if not node.sizes.suppressed:
        return False
    parameters = {"classes": classes, "attributes": sets.star.attributes}
    if sets.engine.query("release/starred", levels=node.levels, **parameters)[0][0]:
        return False
    return bool(
        sets.engine.query(
            "release/masked", frequencies=frequencies, promise=sets.promise, **parameters
        )[0][0]
    )
