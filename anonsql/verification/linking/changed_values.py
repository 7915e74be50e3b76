"""Hold a release whose method changes values against its source: its kept values are the source's,
and what labels show of it is no more changed than the policy allows.

Nothing that the run recorded is used. Rows carry no key, so which released row was which row of the
source is not known, and how many entries changed only from below: at least one in each released row
that can be no row of the source with its kept values, and in each column as many as released rows
that can, by that column and kept values, be none. A run proves the number itself
(:mod:`anonsql.methods.hybrid.proof`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anonsql.errors import InvariantError, VerificationError
from anonsql.verification.facts import count_of, facts_of
from anonsql.verification.linking.link import Link
from anonsql.verification.linking.tables import names


@dataclass(frozen=True)
class JudgedChanges:
    """The findings: the rows of source and release, how many of the latter changed at least and how
    many entries, how many may, and the statistic of group sizes with its ``critical`` value, None
    where the policy has no alpha."""

    originals: int
    released: int
    rows: int
    cells: int
    max_cells: int
    chi_squared: float | None = None
    critical: float | None = None


def against_source(link: Link) -> JudgedChanges:
    """Return how a release with changed values compares with the source. Raise VerificationError
    listing every offence."""
    policy = link.policy
    promised, about = policy.method.promised(policy.privacy), facts_of(link.release)
    if "p" not in promised:
        raise InvariantError("the method changes no values")
    if offences := link.uncovering(kept=False) + link.unaccounted() + link.kept_beyond():
        raise VerificationError(offences)
    originals, released, _ = link.counts()
    rows = link.lacking(link.facets)
    by_column = [link.lacking([facet, *link.kept_facets]) for facet in link.label_facets]
    cells, most = (
        max(rows, sum(by_column)),
        policy.method.max_changed(originals, len(link.attributes)) or 0,
    )
    offences = _cell_offences(cells, most, promised["p"], about)
    statistic, critical = None, None
    if alpha := promised.get("alpha"):
        statistic, critical, wrong = _sizes(link, originals - released, alpha)
        offences += wrong
    if offences:
        raise VerificationError(offences)
    return JudgedChanges(originals, released, rows, cells, most, statistic, critical)


def _cell_offences(cells: int, most: int, p: str, about: Mapping[str, str]) -> list[str]:
    at_least = f"at least {cells:,} quasi-identifying cells do not cover the source's value,"
    if cells > most:
        return [f"{at_least} more than {most:,}, the limit of p={p}"]
    if cells > count_of(about, "relocated_cells"):
        return [f"{at_least} but __about states relocated_cells={about.get('relocated_cells')}"]
    return []


def _sizes(link: Link, suppressed: int, alpha: str) -> tuple[float, float, list[str]]:
    """Return Pearson's statistic Σ (size - size before)² / size before of the groups of a release,
    what it must not exceed, and the offence where it does (Nergiz, Gök, Özkanlı 2013, section 3.2;
    the formula that is printed there lacks its square).

    Rows of the source that fall into no released group are groups that were emptied, with an
    observed size of 0: each of their classes is one where levels are released, else all of them are
    one together. As many of them as were ``suppressed`` are in groups that stayed as they were and
    were left out. A group that no row of the source falls into makes the statistic infinite.
    """
    from scipy.special import chdtri  # slow to import: as long as a small search

    levels = link.released.levels
    apart = all(attribute.index in levels for attribute in link.attributes)
    with link.joined(link.label_facets):
        shape = {"attributes": link.attributes, "levels": levels if apart else {}}
        facets = {"facets": names(link.label_facets), "apart": apart}
        found = link.ask("verification/linking/sizes", link.label_facets, **shape, **facets)
    off, unexpected, groups, emptied, others, ambiguous = found
    if ambiguous:
        text = f"{ambiguous:,} rows of the source match several groups, so their earlier sizes"
        return 0.0, 0.0, [f"{text} are unknown"]
    statistic = max(0, emptied - suppressed) + (float("inf") if unexpected else float(off))
    critical = float(chdtri(groups + others - 1, float(alpha))) if groups + others > 1 else 0.0
    if statistic <= critical:
        return statistic, critical, []
    text = f"the sizes of {groups + others:,} groups changed, by a chi-squared test at the level"
    beyond = f"(chi-squared {statistic:,.4g}, at most {critical:,.4g})"
    return statistic, critical, [f"{text} alpha={alpha} {beyond}"]
