"""``anonsql compare``: try several policies on one source, side by side, so that a method can be
chosen.

Each policy goes through all stages of a run up to the verification of its staged release, which is
measured and thrown away. Nothing is published. Nothing is created, locked or read in the place of a
policy's release: no run there is disturbed, and tables of others there do not matter. The policies'
catalogs are not opened either, as only one process at a time can open one. So the comparison does
not appear in ``anonsql runs``, which lists work on releases.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from anonsql.errors import PolicyError, Problem
from anonsql.features.compare.described import describe, page_title
from anonsql.features.compare.document import CompareLine, CompareReport, with_front
from anonsql.features.compare.trials import Trial, Tried
from anonsql.jobs import fingerprints
from anonsql.jobs.source_columns import resolved
from anonsql.measures.workload import WorkloadSettings
from anonsql.methods.full_domain.settings import FullDomain
from anonsql.policy.locations import JobLocations
from anonsql.policy.measuring import Model, measuring_of
from anonsql.policy.methods import traits
from anonsql.policy.policies import of_one
from anonsql.policy.policy import Given, Policy
from anonsql.presentation import page
from anonsql.presentation.documents import Place
from anonsql.system import text_files
from anonsql.system.clock import Progress, silent

_RANKED = ("loss", "gcp", "discernibility", "error")
"""The measures whose best policies are marked."""
_OF_COLUMNS = ("loss", "gcp", "discernibility")
"""The measures over the quasi-identifying columns."""
Policies = Sequence[Given]


def compare(
    policies: Sequence[Given],
    *,
    queries: int = 1000,
    html: str | Path | None = None,
    target: str | None = None,
    model: Model | None = None,
    progress: Progress = silent,
    show_values: bool = False,
) -> CompareReport:
    """Compare several policies on one source, side by side: each is run up to the verification of
    its staged release, which is measured (by as many random COUNT ``queries``, the same for all)
    and thrown away. Nothing is published or recorded. A policy whose promise cannot be kept, or
    that does not fit the data, gets a line that says so. Raise PolicyError, before anything is run,
    for policies that are wrong, named twice, or of different sources; BusyError when the source
    cannot be reached. ``html`` is a file for a page with the figures, for readers who may
    see the source. ``target`` and ``model`` replace those of the policies'
    ``measure``."""
    if isinstance(policies, (str, Path, Policy, Mapping)):
        policies = [policies]
    workload = WorkloadSettings(queries=queries)
    if html is not None:
        text_files.require_replaceable(Path(html), "--html")
    named = {
        name: policy.model_copy(update={"measure": measuring_of(policy, target, model)})
        for name, policy in _loaded(policies).items()
    }
    require_one_source(named)
    columns = shared_columns(named.values())
    tried = [
        Trial(name, policy, columns, workload).run(progress, show_values)
        for name, policy in named.items()
    ]
    report = side_by_side(named, tried, workload)
    if html is not None:
        page.write(html, "compare", page_title(report), describe(report))
    return report


def shared_columns(policies: Collection[Policy]) -> list[str]:
    """Return the columns that are quasi-identifying in all policies, in order."""
    return sorted(set.intersection(*(set(policy.quasi_identifiers) for policy in policies)))


def side_by_side(
    named: Mapping[str, Policy], tried: Sequence[Tried], workload: WorkloadSettings
) -> CompareReport:
    """Return the comparison of policies of one source, by name, from their results."""
    columns = shared_columns(named.values())
    lines = with_front([entry.line for entry in tried])
    rows = {item.report.records for item in tried if item.report is not None}
    workloads = [item.useful.queries for item in tried if item.useful and item.useful.queries]
    incomparable, notes = _incomparable(named, columns)
    notes += [
        f"{name} releases sensitive values in separate tables, which counts as no loss, so it is"
        " not compared"
        for name in dict.fromkeys(line.method for line in lines if line.status == "met")
        if traits(name).releases_apart
    ]
    if len(rows) > 1 or any(queries != workloads[0] for queries in workloads):
        notes.append("the source changed in between: run again")
    first = next(iter(named.values()))
    return CompareReport(
        source=Place(database=str(JobLocations.of(first).source), table=first.source.name),
        records=min(rows, default=None),
        columns=columns,
        queries=max(map(len, workloads), default=0),
        sanity_bound=workload.sanity_bound,
        policies=lines,
        best={
            name: names
            for name in _RANKED
            if (names := _best(name, lines)) and name not in incomparable
        },
        notes=notes,
    )


def _loaded(policies: Policies) -> dict[str, Policy]:
    """Return the policies by name; raise PolicyError with everything wrong in any of them, before
    anything is run."""
    if not policies:
        raise PolicyError.at("POLICY", "there is no policy to compare.", "Name one or more.")
    paths = [None if isinstance(policy, (Policy, Mapping)) else Path(policy) for policy in policies]
    stems = [path.stem for path in paths if path is not None]
    by_name: dict[str, Policy] = {}
    problems: list[Problem] = []
    seen: dict[str, Path] = {}
    for number, (result, path) in enumerate(zip(policies, paths, strict=True), start=1):
        if path is None:
            name = f"policy {number}"
            try:
                by_name[name] = resolved(of_one(result, "compare"))
            except PolicyError as error:
                problems += [_in(name, problem) for problem in error.problems]
            continue
        text_files.require_text(path.absolute(), "POLICY")
        if (real := os.path.realpath(path)) in seen:
            problems.append(
                Problem(str(path), "this policy is named twice.", "Name each policy once.")
            )
            continue
        seen[real] = path
        try:
            name = path.stem if stems.count(path.stem) == 1 else str(path)
            by_name[name] = resolved(of_one(path, "compare"))
        except PolicyError as error:
            problems += [
                problem if problem.where.startswith(str(path)) else _in(str(path), problem)
                for problem in error.problems
            ]
    if problems:
        raise PolicyError(problems)
    return by_name


def _in(name: str, problem: Problem) -> Problem:
    """Return a problem with the name of its policy added."""
    return Problem(f"{name}: {problem.where}", problem.found, problem.remedy)


def require_one_source(named: Mapping[str, Policy]) -> None:
    """Raise PolicyError unless all policies have the same source, and each release could be made
    from it."""
    places: dict[str, JobLocations] = {}
    problems: list[Problem] = []
    for name, policy in named.items():
        try:
            places[name] = JobLocations.of(policy)
        except PolicyError as error:
            problems += [_in(name, problem) for problem in error.problems]
        else:
            problems += [_in(name, mismatch) for mismatch in places[name].mismatches()]
    if problems:
        raise PolicyError(problems)
    (first, policy), *others = named.items()
    for other, another in others:
        if (
            not places[first].source.same(places[other].source)
            or policy.source.table != another.source.table
        ):
            one, two = (
                f"{name} reads {_source_in_words(entry, places[name])}"
                for name, entry in ((first, policy), (other, another))
            )
            raise PolicyError.at(
                "source",
                f"{one}, and {two}.",
                "Only policies of one source can be compared: give both the same source.",
            )
        if _read_as(policy) != _read_as(another):
            text = f"{first} and {other} read values of the source in different ways."
            raise PolicyError.at(
                "source", text, "Give both policies the same options (`trim`, `missing`, …)."
            )


def _read_as(policy: Policy) -> Mapping[str, object]:
    """Return the settings of a policy for reading its source."""
    places = {"database", "table", "query", "file"}
    return policy.source.model_dump(exclude=places, exclude_defaults=True)


def _source_in_words(policy: Policy, places: JobLocations) -> str:
    return (
        f"the table {policy.source.table} of {places.source}"
        if policy.source.table
        else str(places.source)
    )


def _best(measure: str, lines: Sequence[CompareLine]) -> list[str]:
    """Return the policies with the least value of a measure, or none where all have the same.

    Policies whose loss cannot be compared are passed over: values that anatomy and local release in
    separate tables count as no loss, and so do values that relocation made untrue.
    """
    values = {}
    for line in lines:
        flattered = traits(line.method).releases_apart or (
            bool(line.relocated) and measure in _OF_COLUMNS
        )
        value = line.median_error if measure == "error" else getattr(line, measure)
        if line.status == "met" and value is not None and not flattered:
            values[line.policy] = value
    least = min(values.values(), default=0.0)
    policies = [name for name, value in values.items() if value == least]
    return policies if len(policies) < len(values) else []


def _incomparable(
    named: Mapping[str, Policy], columns: Sequence[str]
) -> tuple[tuple[str, ...], list[str]]:
    """Return the measures that cannot be compared between the policies, and notes that say why."""
    policies = list(named.values())
    notes: list[str] = []
    measures: tuple[str, ...] = ()
    if any(len(policy.quasi_identifiers) > len(columns) for policy in policies):
        listed = "; ".join(
            f"{name}: {', '.join(policy.quasi_identifiers)}" for name, policy in named.items()
        )
        notes.append(
            "quasi-identifying columns differ, so loss, GCP and discernibility cannot be compared"
            f" ({listed})"
        )
        measures = _OF_COLUMNS
    elif any(
        _loss_basis(policy, columns) != _loss_basis(policies[0], columns) for policy in policies
    ):
        notes.append(
            "hierarchies or weights differ, which affects loss: compare GCP, which uses the"
            " source's values"
        )
        measures = ("loss",)
    of_methods = [policy.method.incomparable for policy in policies if policy.method.incomparable]
    return measures, notes + list(dict.fromkeys(of_methods))


def _loss_basis(policy: Policy, columns: Sequence[str]) -> list[tuple[str, float]]:
    """Return the basis of loss: for each column a fingerprint of its hierarchy as the policy gives
    it, and its weight."""
    # other methods may change a hierarchy or use none
    result = policy.model_copy(update={"method": FullDomain()})
    return [(_hierarchy(result, name), policy.columns[name].weight) for name in columns]


def _hierarchy(policy: Policy, name: str) -> str:
    """Return the fingerprint of a column's hierarchy; an empty text where it cannot be read."""
    try:
        return fingerprints.of_hierarchy(policy, name)
    except PolicyError:  # the policy's line reports it
        return ""
