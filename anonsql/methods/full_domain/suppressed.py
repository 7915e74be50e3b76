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
    attributes = sets.star.attributes
    starred = {"classes": classes, "attributes": attributes, "levels": node.levels}
    if sets.engine.query("release/starred", **starred)[0][0]:
        return False
    relations = {"frequencies": frequencies, "kept": classes, "judged": True}
    masked = {"attributes": attributes, "promise": sets.promise}
    return bool(sets.engine.query("release/masked", **relations, **masked)[0][0])
