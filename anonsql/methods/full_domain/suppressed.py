"""The classes of a chosen full-domain generalization, and whether suppressed rows may be released
as ``*``. They are counted from the cells, beside them."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.engines.base import Engine
from anonsql.hierarchies.dimensions import Attribute
from anonsql.privacy.promise import Promise
from anonsql.search.measure import Measured
from anonsql.star.lattice import Levels

_FREQUENCIES = "chosen_frequencies"


def frequency_set(
    engine: Engine, attributes: Sequence[Attribute], promise: Promise, levels: Levels
) -> str:
    """Make a table with the frequency set of a node (codes c1 … cn, extra codes, and weights), and
    return its name."""
    parameters = {"attributes": attributes, "promise": promise, "levels": levels}
    engine.run("methods/full_domain/chosen", table=_FREQUENCIES, **parameters)
    return _FREQUENCIES


def judge(
    engine: Engine,
    attributes: Sequence[Attribute],
    promise: Promise,
    frequencies: str,
    classes: str,
) -> None:
    """Make the table ``classes``: the classes of a node by their codes c1 … cn, with n rows and ok,
    whether they keep the promise."""
    engine.run(
        "sql/table",
        name=classes,
        select="privacy/classes",
        table=frequencies,
        keys=[f"c{attribute.index}" for attribute in attributes],
        promise=promise,
    )


def maskable(
    engine: Engine,
    promise: Promise,
    attributes: Sequence[Attribute],
    node: Measured,
    *,
    frequencies: str,
    classes: str,
) -> bool:
    """Return whether the suppressed rows of a node, masked, are distinct from its classes and form
    a class that keeps the promise. ``classes`` is the table made by :func:`judge`, ``frequencies``
    that of :func:`frequency_set`."""
    if not node.sizes.suppressed:
        return False
    starred = {"classes": classes, "attributes": attributes, "levels": node.levels}
    if engine.query("release/starred", **starred)[0][0]:
        return False
    relations = {"frequencies": frequencies, "kept": classes, "judged": True}
    masked = {"attributes": attributes, "promise": promise}
    return bool(engine.query("release/masked", **relations, **masked)[0][0])
