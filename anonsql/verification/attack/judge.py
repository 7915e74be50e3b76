"""Judge any release against its source: what somebody who knows all quasi-identifying values can
learn from it.

Whatever the released values look like and whichever program made them, they say which of the
source's rows each released row may be. From that,
:mod:`anonsql.verification.attack.assignment_graph` tells whether nobody can be identified with a
probability above 1/k, and :mod:`anonsql.verification.attack.linked_values` what can be learned of
sensitive values. Classes of equal rows play no part in it. k counts rows, also where the policy
names the column that tells people apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anonsql.engines.base import Engine, Relation, ReleaseTables
from anonsql.errors import InvariantError, VerificationError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.policy import Policy
from anonsql.verification.attack import linked_values
from anonsql.verification.attack.assignment_graph import AssignmentVerdict, judge
from anonsql.verification.attack.linked_values import Links
from anonsql.verification.attack.matching import Matching
from anonsql.verification.attack.released import Released
from anonsql.verification.facts import Classes, count_of, fact_offences, facts_of, missing_rows
from anonsql.verification.structure import structure_offences


@dataclass(frozen=True)
class Judged:
    """A release measured against its source, on one combination of quasi-identifying columns.

    ``tuples`` counts the distinct released tuples, ``masked`` the masked rows, which are suppressed
    ones. ``unread`` says by column how many of its released values stand for no value of the
    source, and of how many; ``sensitive`` has, by column, the sensitive values that originals are
    linked to, and ``bounded`` whether the probability of each value can be kept to 1/l, where the
    caller asked for that.
    """

    columns: tuple[str, ...]
    verdict: AssignmentVerdict
    tuples: int
    masked: int
    unread: Mapping[str, tuple[int, int]]
    sensitive: Mapping[str, Links]
    bounded: Mapping[str, bool]

    @property
    def classes(self) -> Classes:
        """The release's sizes as :func:`anonsql.verification.facts.fact_offences` compares them,
        effective matches for the least class."""
        least = min(self.verdict.least_original, self.verdict.least_released)
        return Classes(
            self.verdict.released + self.masked, self.tuples, least, 0, 0, 0, self.masked
        )


def against_source(
    engine: Engine,
    release: ReleaseTables,
    policy: Policy,
    source: Relation,
    attributes: Sequence[Attribute],
    *,
    by_share: bool = False,
) -> Judged:
    """Judge a release against the source that ``engine`` has, whose dimension tables dim_<index>
    are made for ``attributes``.

    Of several combinations of columns that keep the promise each by itself, the one with the fewest
    effective matches is returned. ``l_diversity`` asks for l distinct values among those that each
    original effectively matches, or, with ``by_share``, that nobody has a value with a probability
    above 1/l (Definition 9 of the paper). Raise VerificationError listing every offence; all other
    promises :func:`anonsql.verification.release_only.from_release_alone` verifies.
    """
    offences, about = structure_offences(release, policy, lists=True), facts_of(release)
    if offences:
        raise VerificationError(offences)
    worst: Judged | None = None
    for combination in policy.combinations:
        chosen = [attribute for attribute in attributes if attribute.name in combination]
        judged = measure(engine, release, policy, source, chosen, by_share=by_share)
        on_columns = f" on ({', '.join(judged.columns)})" if policy.privacy.several else ""
        offences += [text + on_columns for text in _offences(judged, policy, about, by_share)]
        worst = (
            judged if worst is None or judged.classes.min_class < worst.classes.min_class else worst
        )
    if worst is None:
        raise InvariantError("no quasi-identifying column was judged")
    sizes = worst.classes
    if (
        not policy.method.equal_rows_are_classes
    ):  # their classes are partitions, known from the facts alone
        sizes = replace(sizes, classes=count_of(about, "classes"))
    offences += fact_offences(policy, about, sizes)
    if offences:
        raise VerificationError(offences)
    return worst


def measure(
    engine: Engine,
    release: ReleaseTables,
    policy: Policy,
    source: Relation,
    attributes: Sequence[Attribute],
    *,
    by_share: bool = False,
) -> Judged:
    """Measure a release on the columns of ``attributes`` alone, without raising for offences."""
    k, released = (
        policy.privacy.k,
        Released.of(
            release, policy, [(attribute.index, attribute.name) for attribute in attributes]
        ),
    )
    matching = Matching(engine, release, released, attributes)
    unread = matching.make(source)
    graph = matching.graph()
    values = {name: matching.sensitive(number) for number, name in released.sensitive}
    matching.drop()
    verdict, effective = judge(graph, k)
    least_of = {
        name: math.ceil(diversity.least)
        for name, diversity in policy.privacy.l_diversity.items()
        if by_share and name in values
    }
    return Judged(
        columns=tuple(column.name for column in attributes),
        verdict=verdict,
        tuples=len(graph.released),
        masked=release.engine.query("verification/rows", table=release.rows)[0][0]
        - verdict.released,
        unread=unread,
        sensitive={
            name: linked_values.links(graph, effective, value) for name, value in values.items()
        },
        bounded={
            name: linked_values.within(graph, effective, values[name], k, least)
            for name, least in least_of.items()
        },
    )


def _offences(
    judged: Judged, policy: Policy, about: Mapping[str, str], by_share: bool
) -> list[str]:
    """Return how a release breaks the promise of k and of l."""
    verdict, k = judged.verdict, policy.privacy.k
    offences = [
        f"{count:,} of {all_values:,} distinct values of {name!r} stand for no value of the source"
        for name, (count, all_values) in judged.unread.items()
        if count
    ]
    if not verdict.released:
        offences.append("no row of the source is in the release")
    held_back = max(0, count_of(about, "held_back"))  # in a release that follows others
    accounted = verdict.released + judged.masked + missing_rows(about) + held_back
    if accounted != verdict.originals:
        offences.append(
            f"the source has {verdict.originals:,} rows, the release accounts for {accounted:,}"
        )
    if verdict.unassigned:
        offences.append(
            f"{verdict.unassigned:,} released rows can be no row of the source that is not"
            " another's already"
        )
    if verdict.exposed_originals or verdict.exposed_released:
        least = min(verdict.least_original, verdict.least_released)
        rows = (
            f"{verdict.exposed_originals:,} rows of the source and {verdict.exposed_released:,}"
            " released rows"
        )
        offences.append(f"{rows} have fewer than k={k} effective matches, {least:,} at the least")
    if not verdict.unassigned and verdict.released and verdict.disjoint < k:
        where = f"{verdict.short:,} of {verdict.components:,} components"
        offences.append(
            f"in {where} no k={k} assignments share no match, {verdict.disjoint:,} do: Pr up to"
            f" 1/{verdict.disjoint:,}"
        )
    return offences + ([] if verdict.unassigned else _value_offences(judged, policy, by_share))


def _value_offences(judged: Judged, policy: Policy, by_share: bool) -> list[str]:
    """Return how a release breaks the promise of l."""
    offences = []
    for name, model in policy.privacy.l_diversity.items():
        linked = judged.sensitive.get(name)
        if linked is None:
            continue
        if by_share and not judged.bounded[name]:
            offences.append(
                f"a value of {name!r} can be told of somebody with a probability above"
                f" 1/{math.ceil(model.least)}"
            )
        elif not by_share and model.type == "distinct" and linked.least_distinct < model.least:
            few = f"{linked.least_distinct:,} distinct values of {name!r}, fewer than {model.least}"
            offences.append(f"somebody's effective matches have {few}")
    return offences
