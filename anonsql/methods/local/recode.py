"""Local generalization (Li, He, Sun, Local Generalization and Bucketization Technique for
Personalized Privacy Preservation, 2019, section 3.2): groups of at least k rows of the same
pattern, whose quasi-identifying entries are generalized.

``grouping: mdp`` (Algorithm 3) is Mondrian within the patterns, ``ncp`` (Algorithm 4) the top-down
greedy partition by the normalized certainty penalty. Numbers and dates are released as the interval
of a group's values, all else as their lowest common ancestor. A withheld entry has the code -1 and
a single position, so no cut separates such rows. Buckets are made independently
(:mod:`anonsql.methods.local.buckets`).
"""

from __future__ import annotations

from anonsql.engines.base import Engine
from anonsql.methods import groups
from anonsql.methods.groups import Cells, Form, Grouped, GroupSizes
from anonsql.methods.local import greedy_partition
from anonsql.methods.local.patterns import Marks
from anonsql.methods.local.settings import Local
from anonsql.methods.mondrian import recode as mondrian
from anonsql.release.salts import fresh_salt


def group(cells: Cells, method: Local, marks: Marks, *, widened: bool) -> tuple[Grouped, float]:
    """Group the cells of each pattern: make ``assigned`` and ``groups``, and ``hidden`` where
    patterns were ``widened``. Return with them the normalized certainty penalty, summed over the
    released quasi-identifying entries (section 3.2.2)."""
    forms: dict[int, Form] = {
        attribute.index: "range" if attribute.sorts else "node"
        for attribute in cells.star.attributes
    }
    withheld = [value.index for value in marks.semi]
    mondrian.place_values(cells, forms, withheld)
    cells.engine.run("methods/local/patterns/first_members", attributes=cells.star.attributes)
    if method.grouping == "ncp":
        greedy_partition.cut_greedily(cells, forms)
    else:
        mondrian.cut_parts(cells, forms, mondrian.Rule(median=method.cut == "median"))
    mondrian.label_parts(cells, forms, withheld, table="uncovered" if widened else "groups")
    if widened:
        _hide(cells, marks)
    lost = cells.engine.query(
        "methods/local/patterns/ncp", forms=forms, hidden=widened, **marks.parameters
    )
    cells.engine.drop("final_parts")
    return Grouped(forms), sum(float(value) for _, value in lost)


def _hide(cells: Cells, marks: Marks) -> None:
    """Make ``hidden``, and ``groups`` from ``uncovered``: an attribute withheld in a group that has
    a row to which it is not sensitive is released as ``*``."""
    cells.engine.run("methods/local/patterns/hidden", **marks.parameters)
    cells.engine.run("methods/local/patterns/covered", **marks.parameters)
    cells.engine.drop("uncovered")


def hidden_cells(cells: Cells, marks: Marks) -> dict[str, int]:
    """Return the number of hidden entries of each semi-sensitive column."""
    names = [value.name for value in marks.semi]
    return dict(
        zip(
            names,
            cells.engine.query("methods/local/patterns/hidden_cells", **marks.parameters)[0],
            strict=True,
        )
    )


def sizes(cells: Cells) -> GroupSizes:
    """Return the sizes of the groups. Each is a class of its own, because its number is
    released."""
    return GroupSizes(*cells.engine.query("methods/local/patterns/sizes")[0])


def require_within_limit(cells: Cells, suppressed: int) -> None:
    """Raise PrivacyError when more rows are suppressed, as their patterns cannot form a group, than
    may be, or all are."""
    text = (
        f"have patterns of sensitive cells that fewer than k={cells.promise.k} rows have, even when"
        " more of their cells are taken for sensitive"
    )
    groups.require_few(
        cells, suppressed, text, "lower privacy.k, or make a semi-sensitive column sensitive"
    )


def lay_out(engine: Engine, marks: Marks, *, widened: bool) -> None:
    """Make ``local_rows``: the released rows with their group and the values to be dealt to
    buckets."""
    with fresh_salt(engine):
        engine.run("methods/local/patterns/rows", hidden=widened, **marks.parameters)
