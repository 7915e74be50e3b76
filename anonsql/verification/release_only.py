"""All that is proved of a release of one table by nothing but itself and the policy: the table of
its checks, which are queries that return offending rows, groups or values.

Nothing of the search is used: no code, no frequency set, none of its templates.
"""

from __future__ import annotations

from anonsql.completion.table import Drawn
from anonsql.engines.base import ReleaseTables
from anonsql.labels.bench import bench_for
from anonsql.policy.table_plan import TablePlan
from anonsql.verification import (
    about,
    changes,
    classes,
    columns,
    completed,
    differential,
    labels,
    marginals,
    order,
    stated,
)
from anonsql.verification.checks import SOUND, Check, Need, require
from anonsql.verification.classes import Proof
from anonsql.verification.facts import fact_offences
from anonsql.verification.structure import structure_offences


def _unlabeled(proof: Proof) -> list[str]:
    return [] if proof.labels else ["no quasi-identifying column of the policy is in the release"]


def _uncounted(proof: Proof) -> list[str]:
    """Return an offence where no check has counted the classes; a check that could not count says
    why."""
    if proof.counted is not None:
        return []
    return proof.offences or ["no check knows such a release"]


def _view(proof: Proof) -> list[str]:
    from anonsql.verification import view  # with sqlglot, which takes long to load

    by_name = {column.name: column for column in proof.columns}
    return view.offences(proof.release, proof.policy, [by_name[name] for name in proof.labels])


def _facts(proof: Proof) -> list[str]:
    proof.open_facts = about.unprovable(proof)
    return about.offences(proof)


_OTHERWISE = "the release has another form, whose classes another check counts"
RINGS = Need[Proof](lambda it: it.form == "rings", _OTHERWISE)
GROUPS = Need[Proof](lambda it: it.form == "groups", _OTHERWISE)
BUCKETS = Need[Proof](lambda it: it.form == "buckets", _OTHERWISE)
CLASSES = Need[Proof](lambda it: it.form == "classes", _OTHERWISE)
NAMED = Need[Proof](
    lambda it: it.policy.method.form(ordered=False, least=0) != "node",
    "labels are nodes of hierarchies, which name no value of the source",
)
PUBLISHED = Need[Proof](
    lambda it: not it.staged, "the run goes on to compare with the source, which proves more"
)
READ = Need[Proof](
    lambda it: not (it.staged and it.policy.method.label_for_each_row),
    "the run goes on to compare with the source, which proves more without reading labels",
)
BY_A_RUN = Need[Proof](
    lambda it: not it.elsewhere, "a release made by another tool states no facts of a run"
)
ENTITY = Need[Proof](
    lambda it: it.policy.privacy.entity is not None, "the promises count rows, not people"
)
LIMITED = Need[Proof](
    lambda it: bool(it.policy.privacy.risk.limits),
    "the policy sets no limit on the risk of all rows",
)
DIFFERENTIAL = Need[Proof](
    lambda it: it.policy.privacy.differential is not None, "no differential privacy is promised"
)

CHECKS: tuple[Check[Proof], ...] = (
    Check(
        "the tables, their columns and types are those of a run, and each fact is stated once",
        lambda it: structure_offences(it.release, it.policy),
        decisive=True,
    ),
    Check("a quasi-identifying column is released", _unlabeled, decisive=True),
    Check("rings are stated", classes.of_rings, (RINGS,)),
    Check(
        "every value that rings name may belong to k rows",
        labels.named,
        (RINGS, NAMED, PUBLISHED),
    ),
    Check(
        "groups have k rows, and their values, in a separate table, are diverse",
        classes.of_groups,
        (GROUPS,),
    ),
    Check(
        "groups have k equal rows, and buckets keep their promises",
        classes.of_buckets,
        (BUCKETS,),
    ),
    Check(
        "classes have k rows, and sensitive values in them keep every promise",
        classes.of_combinations,
        (CLASSES,),
    ),
    Check(
        "__labels are those of the policy's hierarchies",
        labels.published,
    ),
    Check(
        "__marginals publishes only frequencies of at least k rows",
        lambda it: marginals.of_release(it.release, it.policy),
        (BY_A_RUN,),
        decisive=True,
    ),
    Check("the classes are counted, in any form", _uncounted, decisive=True),
    Check(
        "k, rows, suppressed and relocated cells, and promises are stated correctly",
        lambda it: fact_offences(it.policy, it.about, it.classes),
    ),
    Check("classes have k people", columns.people, (ENTITY,)),
    Check("kept columns reveal only what the policy allows", columns.kept),
    Check("replacements of identifying columns reveal nothing about the values", columns.replaced),
    Check("the risk of all rows together is within its limits", columns.of_all_rows, (LIMITED,)),
    Check(
        "changed columns have values that the stated changes allow",
        lambda it: changes.of_release(it.release, it.policy, it.about),
    ),
    Check(
        "k and the share of sampled rows keep the stated epsilon and delta",
        lambda it: differential.offences(it.policy, it.about),
        (DIFFERENTIAL,),
    ),
    Check(
        "each class has a single mean or median, within its bounds",
        columns.averages,
    ),
    Check(
        "rows and numbers are in the order of their content",
        lambda it: order.of_release(it.release, it.policy),
        (BY_A_RUN, SOUND),
    ),
    Check(
        "labels and bounds agree with hierarchies and method",
        labels.released,
        (BY_A_RUN, READ),
    ),
    Check(
        "__columns describes the columns correctly",
        lambda it: stated.column_offences(it.policy, it.names, it.release.stated_columns, it.looks),
        (BY_A_RUN, READ),
    ),
    Check(
        "the view of possible values shows the content of the tables, and nothing else",
        _view,
        (BY_A_RUN, BUCKETS, SOUND),
    ),
    Check("__about states every fact, and no others", _facts, (BY_A_RUN,)),
)
"""The checks that read labels on a bench; a run makes the release that has no offence."""

DRAWN: tuple[Check[Proof], ...] = (
    Check(
        "the completed table has the expected draws, and each value is within its label",
        lambda it: completed.offences(it.release, it.policy.release.draws, it.drawn),
        (BY_A_RUN,),
    ),
)
"""What is proved of a release that keeps :data:`CHECKS`."""


def prove(
    release: ReleaseTables,
    policy: TablePlan,
    *,
    staged: bool = False,
    elsewhere: bool = False,
    drawn: Drawn | None = None,
) -> Proof:
    """Check what is published, or ``staged``, by nothing but itself and the policy. The values that
    a staged release of windows names are left to the comparison with the source, which proves more
    without reading them. Of a release that was made ``elsewhere``, not by the policy's method, only
    the classes and the facts that it states are judged. The completed table is drawn again, or held
    against what the run has just ``drawn`` it into.

    Where the policy makes its promise for several combinations of columns, each by itself, the
    proof has the classes of the combination with the smallest class. Raise VerificationError
    listing every offence: a column that should not be there, a class smaller than k (bounds columns
    counted in), facts that do not agree with the rows or fall short of the policy.
    """
    with bench_for(release.engine) as bench:
        proof = Proof(release, policy, bench, staged, elsewhere, drawn)
        require(CHECKS, proof)
    require(DRAWN, proof)
    return proof
