"""Whether the rows of a release can be rows of its source, and, where classes of equal rows do not
show it, whether no person is identified with a probability above 1/k.

Of classes of at least k equal rows, k assignments that share no pair follow from one: the rows of a
class change places. So classes only need one assignment, of rows with the values that they keep.
For releases whose rows are no classes (rings, and releases made elsewhere) the checks are counts of
possible rows (of pairs that some assignment uses), and whether assignments can be drawn
(:mod:`anonsql.verification.linking.flow`). k counts rows, also where the policy names the column
that identifies people.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from anonsql.errors import InvariantError
from anonsql.verification.checks import SOUND, Check, Need, require
from anonsql.verification.facts import Classes, count_of, fact_offences, facts_of
from anonsql.verification.linking.link import Link, Pairs
from anonsql.verification.linking.tables import names
from anonsql.verification.structure import structure_offences


@dataclass(frozen=True)
class JudgedRows:
    """How released rows compare with the source's. ``pairs`` counts the pairs of rows that agree in
    their labels, ``least_original`` and ``least_released`` are the fewest rows of the other side
    that a row may be (for the source's, of rows that may be any). ``together``: there is an
    assignment of released rows with all that they keep; None where not every kept column was
    compared."""

    originals: int
    released: int
    masked: int
    tuples: int
    pairs: int
    least_original: int
    least_released: int
    together: bool | None

    def classes(self, link: Link) -> Classes:
        """Return the release's sizes as :func:`anonsql.verification.facts.fact_offences` compares
        them, possible rows for the least class."""
        least = min(self.least_original, self.least_released)
        ours = not link.policy.method.equal_rows_are_classes  # their classes are partitions
        classes = count_of(facts_of(link.release), "classes") if ours else self.tuples
        return Classes(self.released + self.masked, classes, least, 0, 0, 0, self.masked)


@dataclass
class Comparison:
    """The comparison of a release with its source: ``alone`` where classes of at least k rows were
    proved by themselves, ``elsewhere`` where another method made it. Checks add the ``offences``,
    and how many combinations of labels and pairs of rows there are and the fewest possible rows of
    either side (``worst``)."""

    link: Link
    alone: bool
    elsewhere: bool
    offences: list[str] = field(default_factory=list)
    worst: tuple[int, int, int, int] = (0, 0, 0, 0)

    @property
    def classes(self) -> bool:
        """Whether the rows are in classes of at least k equal ones."""
        return self.alone and self.link.policy.method.equal_rows_are_classes

    @property
    def judged(self) -> JudgedRows:
        """The findings."""
        whole = not self.elsewhere and len(self.link.compared) == len(self.link.valued)
        return JudgedRows(*self.link.counts(), *self.worst, together=whole or None)


def _by_labels(it: Comparison) -> list[str]:
    policy, offences = it.link.policy, list[str]()
    for number, combination in enumerate(policy.combinations):
        facets = [facet for name, facet in it.link.labels if name in combination]
        text, found = by_labels(it.link, facets, classes=it.classes)
        on_columns = f" on ({', '.join(combination)})" if policy.privacy.several else ""
        offences += [one + on_columns for one in text]
        it.worst = found if not number else min(it.worst, found, key=lambda one: min(one[2:]))
    return offences


def all_together(link: Link) -> list[str]:
    """Return the offence of released rows that cannot be different rows of the source with all that
    they keep."""
    lacking = link.lacking(link.facets)
    text = "released rows, with their kept values, have no matching source row"
    return [f"{lacking:,} {text} of their own"] if lacking else []


def by_labels(
    link: Link, facets: list[int], *, classes: bool
) -> tuple[list[str], tuple[int, int, int, int]]:
    """Return what is wrong with the rows by some labels alone, and the combinations of labels,
    pairs of rows, and fewest possible rows of either side."""
    k = link.policy.privacy.k
    with link.joined(facets) as pairs:
        if pairs is None:
            raise InvariantError("pairs are left out where there is no limit to them")
        offences, lacking = list[str](), pairs.lacking()
        if not (lacking or classes):
            pairs.narrow()
        degrees = link.ask("verification/linking/degrees", facets, k=k)
        count, least_original, least_released, few_originals, few_released = map(int, degrees)
        tuples = int(link.engine.query("verification/rows", table="judged_tuples")[0][0])
        if lacking:
            offences.append(f"{lacking:,} released rows have no matching source row of their own")
        elif few_originals or few_released:
            least = min(least_original, least_released)
            offences.append(
                f"{few_originals:,} source rows and {few_released:,} released rows match fewer"
                f" than k={k} rows of the other side, in the worst case {least:,}"
            )
        elif not classes:
            offences += _of_draws(link, pairs, facets)
    return offences, (tuples, count, least_original, least_released)


def _of_draws(link: Link, pairs: Pairs, facets: list[int]) -> list[str]:
    """Return why a row of no class may be identified with a probability above 1/k, or its sensitive
    value known with one above 1/l."""
    from anonsql.verification.linking import flow

    policy, graph, offences = link.policy, pairs.graph(), list[str]()
    if not flow.can_be_drawn(graph, policy.privacy.k):
        offences.append(
            f"there are no k={policy.privacy.k} assignments of released rows to source rows"
            " without a common pair: a row can be identified with a probability above 1/k"
        )
    columns = {column.name: column for column in link.release.engine.columns(link.release.rows)}
    for name, model in policy.privacy.l_diversity.items():
        text = link.travels or columns[name].kind == "text"
        asked = {"values": names(facets), "j": link.carried[name], "text": text}
        if not policy.method.equal_rows_are_classes:
            query, steps = "verification/linking/values_of_tuples", len(facets)
            tuple_, value, count = link.engine.numbers(query, steps=steps, **asked)
            values, least = flow.Values(tuple_ - 1, value - 1, count), math.ceil(model.least)
            if not flow.can_be_drawn(graph, policy.privacy.k, values, least):
                offences.append(
                    f"an attacker can infer a value of {name!r} of a row with a probability above"
                    f" 1/{least}"
                )
        elif model.type == "distinct":
            fewest = link.ask("verification/linking/few_values", facets, **asked)[0]
            if fewest < model.least:
                offences.append(
                    f"the released rows that can match a row have only {fewest:,} distinct values"
                    f" of {name!r}, fewer than {model.least}"
                )
        else:
            offences.append(
                f"{model.type} l_diversity of {name!r} cannot be checked without classes"
            )
    return offences


UNCLASSED = Need[Comparison](lambda it: not it.classes, "they were checked with the classes")
UNPROVED = Need[Comparison](lambda it: not it.alone, "they were proved by the release alone")
BY_A_RUN = Need[Comparison](
    lambda it: not it.elsewhere,
    "`with_kept_values` is null: another method may change these values",
)

CHECKS: tuple[Check[Comparison], ...] = (
    Check(
        "the tables, their columns and types are those of a run, and each fact is stated once",
        lambda it: structure_offences(it.link.release, it.link.policy, lists=True),
        (UNCLASSED,),
        decisive=True,
    ),
    Check(
        "labels and kept values match values of the source",
        lambda it: it.link.uncovering(kept=not it.elsewhere),
    ),
    Check("the number of source rows is accounted for", lambda it: it.link.unaccounted()),
    Check(
        "every combination of kept values occurs in as many rows of the source",
        lambda it: it.link.kept_beyond(),
        (BY_A_RUN,),
    ),
    Check(
        "by its labels each row matches a source row of its own, and may match k of them",
        _by_labels,
    ),
    Check(
        "with its kept values each row matches a source row of its own",
        lambda it: all_together(it.link),
        (BY_A_RUN, SOUND),
    ),
    Check(
        "k, rows, suppressed and relocated cells, and promises are stated correctly",
        lambda it: fact_offences(
            it.link.policy, facts_of(it.link.release), it.judged.classes(it.link)
        ),
        (UNPROVED,),
    ),
)


def against_source(link: Link, *, alone: bool, elsewhere: bool) -> JudgedRows:
    """Return how the rows of a release compare with the source's. ``alone``: classes of at least k
    rows were proved by themselves. Kept values are not compared where the release was made
    ``elsewhere``, by a method that may change these. Raise VerificationError listing every
    offence."""
    comparison = Comparison(link, alone, elsewhere)
    require(CHECKS, comparison)
    return comparison.judged
