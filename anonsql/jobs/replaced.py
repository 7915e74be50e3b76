"""The stage that compares a staged release with the one that it is about to replace, and warns of
what both reveal together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.engines.base import Column, Engine, ReleaseTables
from anonsql.errors import (
    BusyError,
    PolicyError,
    PrivacyError,
    ResourceError,
    SqlError,
    VerificationError,
)
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.job import Job
from anonsql.policy.methods import traits
from anonsql.policy.release_parts import MARGINALS
from anonsql.risks import replaced
from anonsql.risks.replaced import Level, ReleaseDifference
from anonsql.system.journal import log
from anonsql.verification.facts import facts_of
from anonsql.version import __version__


def compare_with_replaced(job: Job) -> None:
    """Note a warning about the rows that comparing the staged release with the replaced one singles
    out, where the policy promises nothing over time. If the replaced one cannot be read, or was
    made in another way, there is nothing to compare."""
    policy = job.policy
    if policy.release.marginals:
        _require_same_frequencies(job)
    if getattr(policy.privacy, "over_time", None) is not None or policy.privacy.k < 2:
        return
    if getattr(policy.privacy, "differential", None) is not None:
        return  # what several releases spend together is warned of instead
    if not _in_classes(policy.method.type) or not job.counted.attributes:
        return
    try:
        with job.target.published() as earlier:
            result = _difference(job, job.verified.staged, earlier)
    except ResourceError:
        raise  # a full disk may have undone what was staged
    except (PolicyError, VerificationError, SqlError, BusyError) as error:
        log.debug("the release to be replaced was not compared: %s", error)
        return
    if result is not None and (problem := replaced.warning(result, policy.privacy.k)) is not None:
        job.warnings.append(problem)


def _require_same_frequencies(job: Job) -> None:
    """Raise PrivacyError where the release that is replaced has other frequencies of values: the
    differences are the values of the rows that changed."""
    from anonsql.verification.marginals import frequencies

    try:
        with job.target.published() as earlier:
            if MARGINALS not in earlier.extras:
                return
            before, now = (dict(frequencies(it)) for it in (earlier, job.verified.staged))
    except PolicyError:  # there is no earlier release; one that cannot be read refuses the run
        return
    if other := sum(before.get(key) != now.get(key) for key in {*before, *now}):
        raise PrivacyError(
            f"{other:,} frequencies of `__marginals` differ from those of the release that would be"
            " replaced. An attacker with both can compute the values of rows that changed. Write"
            " `release: {marginals: false}`; if no recipient has the earlier release, remove it."
        )


def _in_classes(method: str) -> bool:
    """Return whether a method's rows with equal labels are the class that hides each of them."""
    result = traits(method)
    return result.equal_rows_are_classes and not result.releases_apart


def _difference(
    job: Job, staged: ReleaseTables, earlier: ReleaseTables
) -> ReleaseDifference | None:
    """Return what both releases reveal together, by the combination of columns that reveals most;
    None where the earlier one cannot be compared."""
    about, attributes = facts_of(earlier), job.counted.attributes
    if about.get("anonsql") != __version__ or not _in_classes(about.get("method", "")):
        return None
    names = [attribute.name for attribute in attributes]
    before = replaced.labels_of(earlier)
    if set(before) != set(names) or _types(staged, names) != _types(earlier, names):
        return None
    levels = {
        column.name: (job.chosen.recoding.by.described(column), before[column.name])
        for column in attributes
    }
    _bring_dimensions(job, staged.engine, attributes, levels)
    result = []
    for combination in job.policy.combinations:
        some = [attribute for attribute in attributes if attribute.name in combination]
        of_some = {attribute.name: levels[attribute.name] for attribute in some}
        k = job.policy.privacy.k
        result.append(replaced.compared(staged, earlier, some, of_some, k))
    return max(result, key=lambda entry: (entry.rows, entry.cut, not entry.known))


def _types(release: ReleaseTables, names: Sequence[str]) -> list[tuple[str, str]]:
    by_name = {column.name: column.type for column in release.engine.columns(release.rows)}
    return [(name, by_name[name]) for name in names if name in by_name]


def _bring_dimensions(
    job: Job,
    reader: Engine,
    attributes: Sequence[Attribute],
    levels: Mapping[str, tuple[Level, Level]],
) -> None:
    if reader is job.engine:
        return
    for attribute in attributes:
        some = sorted({level for level, _ in levels[attribute.name] if level is not None})
        if len(some) == 2 and some[1] < attribute.height:
            table = f"dim_{attribute.index}"
            columns = [Column(f"v{level}", "VARCHAR") for level in some]
            file = job.context.workspace / f"to-compare-{table}"
            reader.receive(table, job.engine.carry(table, columns, file))
