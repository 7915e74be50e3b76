"""All that is proved of a release of one table by nothing but itself and the policy: the table of its
checks, which are queries that return offending rows, groups or values.

Nothing of the search is used: no code, no frequency set, none of its templates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from anonsql.engines.base import ReleaseTables
from anonsql.labels.bench import bench_for
from anonsql.policy.policy import Policy
from anonsql.risks import linked
from anonsql.verification import (
    about,
    apart,
    changes,
    classes,
    columns,
    completed,
    differential,
    labels,
    order,
    stated,
)
from anonsql.verification.checks import SOUND, Check, Need, run
from anonsql.verification.classes import Examined
from anonsql.verification.facts import Classes, fact_offences
from anonsql.verification.stated import Evidence
from anonsql.verification.structure import structure_offences


def _unlabeled(it: Examined) -> list[str]:
    return [] if it.labels else ["no quasi-identifying column of the policy is in the release"]


def _uncounted(it: Examined) -> list[str]:
    """Return an offence where no check has counted the classes; those that could not say why."""
    if it.counted is not None:
        return []
    return it.offences or ["no check knows such a release"]


def _people(it: Examined) -> list[str]:
    people, facts, offences = columns.people_of(
        it.release, it.policy, it.about, it.classes, it.grouping
    )
    it.counted, it.texts = replace(it.classes, people=people), {**it.texts, **facts}
    if columns.telling_column(it.release, it.policy) is None:
        it.bounded |= facts.keys()
    return offences


def _kept(it: Examined) -> list[str]:
    kept, facts, offences = columns.kept_risk(it.release, it.policy, it.about)
    it.counted, it.texts = replace(it.classes, kept=kept), {**it.texts, **facts}
    return offences


def _replaced(it: Examined) -> list[str]:
    """Return what is wrong with the columns that replace identifying ones; have the facts of
    surrogates that link rows."""
    if offences := columns.replaced_offences(it.release, it.policy):
        return offences
    by_name = linked.of_release(it.release.engine, it.release.rows, it.policy)
    it.texts |= {name: str(value) for name, value in linked.facts(by_name).items()}
    return []


def _limits(it: Examined) -> list[str]:
    it.counted, offences = columns.limit_offences(
        it.release, it.policy, it.about, (it.classes, it.grouping)
    )
    return offences


def _labels(it: Examined) -> list[str]:
    """Return the offences in labels and bounds; have the levels and looks of those that were
    read."""
    said = {one.name: one for one in it.release.stated_columns}
    of_columns = {name: said.get(name) for name in it.policy.quasi_identifiers}
    found = labels.describe(
        it.bench, it.release, it.policy, of_columns, it.labels if it.masked else []
    )
    leveled = it.policy.method.leveled
    it.looks = {
        name: (said[name].level if leveled and name in said else None, column.looks)
        for name, column in found.items()
        if column.looks is not None
    }
    return [text for column in found.values() for text in column.offences]


def _view(it: Examined) -> list[str]:
    from anonsql.verification import view  # with sqlglot, which takes long to load

    by_name = {column.name: column for column in it.columns}
    return view.offences(it.release, it.policy, [by_name[name] for name in it.labels])


def _facts(it: Examined) -> list[str]:
    share = apart.sensitive_share(it.release) if it.form == "groups" else None
    it.evidence = Evidence(it.policy, it.about, it.classes, share, it.texts, it.bounded)
    return about.offences(it.evidence)


_OTHERWISE = "the release is of another form, whose classes another check counts"
RINGS = Need[Examined](lambda it: it.form == "rings", _OTHERWISE)
GROUPS = Need[Examined](lambda it: it.form == "groups", _OTHERWISE)
BUCKETS = Need[Examined](lambda it: it.form == "buckets", _OTHERWISE)
CLASSES = Need[Examined](lambda it: it.form == "classes", _OTHERWISE)
NAMED = Need[Examined](
    lambda it: it.policy.method.form(ordered=False, least=0) != "node",
    "labels are nodes of hierarchies, which name no value of the source",
)
PUBLISHED = Need[Examined](
    lambda it: not it.staged, "the comparison with the source, which follows in a run, proves more"
)
READ = Need[Examined](
    lambda it: not (it.staged and it.policy.method.label_for_each_row),
    "the comparison with the source, which follows in a run, proves more without reading labels",
)
BY_A_RUN = Need[Examined](
    lambda it: not it.elsewhere, "a release that was made elsewhere states no fact of a run"
)
ENTITY = Need[Examined](
    lambda it: it.policy.privacy.entity is not None, "the promises count rows, not people"
)
LIMITED = Need[Examined](
    lambda it: bool(it.policy.privacy.risk.limits),
    "the policy has no limit to the risk of all rows",
)
DIFFERENTIAL = Need[Examined](
    lambda it: it.policy.privacy.differential is not None, "no differential privacy is promised"
)

CHECKS: tuple[Check[Examined], ...] = (
    Check(
        "the tables, their columns and types are a run's, and facts are stated once",
        lambda it: structure_offences(it.release, it.policy),
        decisive=True,
    ),
    Check("a quasi-identifying column is released", _unlabeled, decisive=True),
    Check("rings are stated", classes.of_rings, (RINGS,)),
    Check(
        "k rows can have each value that rings name",
        lambda it: labels.named_offences(it.release, it.policy, it.bench),
        (RINGS, NAMED, PUBLISHED),
    ),
    Check(
        "groups have k rows, and their values, in a table of their own, are diverse",
        classes.of_groups,
        (GROUPS,),
    ),
    Check(
        "groups have k rows that are alike, and buckets keep their promises",
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
        lambda it: labels.published_offences(it.release, it.policy, it.bench),
    ),
    Check("the classes are counted, in whatever form", _uncounted, decisive=True),
    Check(
        "k, rows, suppressed and relocated cells, and promises are stated as they are",
        lambda it: fact_offences(it.policy, it.about, it.classes),
    ),
    Check("classes have k people", _people, (ENTITY,)),
    Check("kept columns give away what the policy allows", _kept),
    Check("what replaces identifying columns says nothing of them", _replaced),
    Check("the risk of all rows together is within its limits", _limits, (LIMITED,)),
    Check(
        "changed columns have values that the stated changes lead to",
        lambda it: changes.of_release(it.release, it.policy, it.about),
    ),
    Check(
        "k and the share of sampled rows keep the stated epsilon and delta",
        lambda it: differential.offences(it.policy, it.about),
        (DIFFERENTIAL,),
    ),
    Check(
        "each class has one mean or median, within its bounds",
        lambda it: columns.average_offences(it.release, it.policy, it.labels, it.bounds),
    ),
    Check(
        "rows and numbers are in the order of their content",
        lambda it: order.of_release(it.release, it.policy),
        (BY_A_RUN, SOUND),
    ),
    Check(
        "labels and bounds are such as hierarchies and method make",
        _labels,
        (BY_A_RUN, READ),
    ),
    Check(
        "__columns says what the columns are",
        lambda it: stated.column_offences(it.policy, it.names, it.release.stated_columns, it.looks),
        (BY_A_RUN, READ),
    ),
    Check(
        "the view of possible values shows what the tables do, and can show nothing else",
        _view,
        (BY_A_RUN, BUCKETS, SOUND),
    ),
    Check("__about states every fact, and no other", _facts, (BY_A_RUN,)),
)
"""The checks that read labels on a bench; a run makes the release that has no offence."""

DRAWN: tuple[Check[Examined], ...] = (
    Check(
        "the completed table is what anybody draws, each value one of its label",
        lambda it: completed.offences(it.release, it.policy.release.draws),
        (BY_A_RUN,),
    ),
)
"""What is proved of a release that keeps :data:`CHECKS`."""


@dataclass(frozen=True)
class Proof:
    """What was proved of a release: its equivalence classes, and the ``evidence`` that its facts were
    held against, None where it was made elsewhere."""

    classes: Classes
    evidence: Evidence | None

    @property
    def open_facts(self) -> list[str]:
        """The facts of ``__about`` that the release alone does not determine."""
        return about.unprovable(self.evidence) if self.evidence is not None else []


def from_release_alone(
    release: ReleaseTables, policy: Policy, *, staged: bool = False, elsewhere: bool = False
) -> Classes:
    """Return the equivalence classes that :func:`prove` finds, without the rest of the proof."""
    return prove(release, policy, staged=staged, elsewhere=elsewhere).classes


def prove(
    release: ReleaseTables, policy: Policy, *, staged: bool = False, elsewhere: bool = False
) -> Proof:
    """Check what is published, or ``staged``, by nothing but itself and the policy. The values that
    a staged release of windows names are left to the comparison with the source, which proves more
    without reading them. Of a release that was made ``elsewhere``, not by the policy's method, only
    the classes and the facts that it states are judged.

    Where the policy makes its promise for several combinations of columns, each by itself, the
    proof has the classes of the combination with the smallest class. Raise VerificationError
    listing every offence: a column that should not be there, a class smaller than k (bounds columns
    counted in), facts that do not agree with the rows or fall short of the policy.
    """
    with bench_for(release.engine) as bench:
        examined = Examined(release, policy, bench, staged, elsewhere)
        run(CHECKS, examined)
    run(DRAWN, examined)
    return Proof(examined.classes, examined.evidence)
