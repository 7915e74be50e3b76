"""``anonsql advise``: compare a policy with other methods and other numbers k on its source, and
recommend one within a budget of time: on a sample of its people first, then on the whole table.

Each choice is a policy that is tried as ``compare`` tries it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from anonsql.engines import open_stage
from anonsql.errors import AnonsqlError, BusyError, PolicyError, TimeLimitError, did_you_mean
from anonsql.features.advise.choices import WEIGHTED, Choice, choices_of, weights_of
from anonsql.features.advise.decision import COUNTS, Ranking, ranking_of, recommend
from anonsql.features.advise.described import describe
from anonsql.features.advise.document import AdviceReport, Purpose, Recommendation, SampleSize
from anonsql.features.advise.trials import MOST, WHOLE, Trials, untried
from anonsql.features.compare.command import (
    require_one_source,
    shared_columns,
    side_by_side,
)
from anonsql.features.compare.described import page_title
from anonsql.features.compare.document import CompareLine, with_front
from anonsql.features.compare.trials import Trial, Tried
from anonsql.features.measure.usefulness.effects import effects_of
from anonsql.jobs import samples, source_columns
from anonsql.jobs.samples import Sample, Size
from anonsql.jobs.sessions import read_only_job
from anonsql.measures.workload import WorkloadSettings
from anonsql.policy.measuring import measuring_of
from anonsql.policy.policies import of_one
from anonsql.policy.policy import Given, Policy
from anonsql.presentation import page
from anonsql.system import text_files
from anonsql.system.clock import Progress, silent

BUDGET = 60.0
"""The seconds that all choices have together where nothing else is said."""
_QUERIES = 200
"""The COUNT queries on a sample, at most: more cannot compensate for its few people."""
_SLOWER = 1.5
"""How many times as long a row takes where more queries are asked, and the completed table is made and
analysed, too."""


def advise(
    policy: Given,
    *,
    ks: Sequence[int] | None = None,
    methods: Sequence[str] | None = None,
    purpose: Purpose = "counts",
    target: str | None = None,
    budget: float = BUDGET,
    queries: int = 1000,
    html: str | Path | None = None,
    progress: Progress = silent,
    show_values: bool = False,
) -> AdviceReport:
    """Try methods and numbers k on a policy's source, each as ``compare`` does, and recommend
    one within ``budget`` seconds. Nothing is published or recorded.

    Where they are not given, ``methods`` are the policy's own and those that usually serve the
    ``purpose`` best, ``ks`` the policy's k, half of it and twice it. A table of more people than
    can be tried in time is tried on a sample of them first. Choices are ranked by the ``purpose``:
    counts, means by group, or models, of a ``target`` where one is given or the policy's
    ``measure`` names one. Ctrl-C ends the trials and keeps what is done. ``html`` is a file to
    write the page of the comparison to. Raise PolicyError for a wrong policy or an unknown method,
    BusyError when the source cannot be reached."""
    started = time.perf_counter()
    base = source_columns.resolved(of_one(policy, "advise"))
    require_one_source({"POLICY": base})
    if not (budget > 0 and math.isfinite(budget)):
        raise PolicyError.at("budget", f"found {budget:g} seconds.", "Give more than 0.")
    if purpose not in (purposes := get_args(Purpose)):
        hint = did_you_mean(purpose, purposes) or f"Name one of {', '.join(purposes)}."
        raise PolicyError.at("for", f"there is no purpose {purpose!r}.", hint)
    if html is not None:
        text_files.require_replaceable(Path(html), "--html")
    base = base.model_copy(update={"measure": measuring_of(base, target, None)})
    size, weights = _look(base, budget, purpose, progress)
    given = policy if base.origin.patterns is None else base
    choices = choices_of(given, base, ks, methods, purpose, weights=weights)
    workload = WorkloadSettings(queries=queries)
    ranking, analyses = ranking_of(purpose, base.measure.target), purpose != "counts"
    slower = 1.0 if analyses else _SLOWER

    def attempt(choice: Choice, sample: Sample | None, limit: float, standing: str) -> Tried:
        made = Trial(
            choice.name,
            (policy := _limited(choice.valid, limit)),
            shared_columns([policy]),
            WorkloadSettings(queries=queries if sample is None else min(queries, _QUERIES)),
            purpose="advise",
            sample=sample,
            analyses=analyses or sample is None,
        )
        found = made.run(lambda stage, *done: progress(f"{standing}: {stage}", *done), show_values)
        return _given_up(base, choice, limit, found)

    trials = Trials(base, choices, size, budget, ranking, attempt, slower, started=started)
    trials.run()
    report = _report(trials, workload, purpose, started)
    if html is not None:
        page.write(html, "advise", page_title(report), describe(report))
    return report


def _look(
    base: Policy, budget: float, purpose: Purpose, progress: Progress
) -> tuple[Size, dict[str, float]]:
    """Return how many rows and people the source has and, for models of a target, the weights of
    columns by their effects on it, of a sample of many people. If these cannot be counted, each
    choice reports the reason."""
    policy, entity, target = (
        _limited(base, budget).by_itself(),
        base.privacy.entity,
        base.measure.target,
    )
    size, weights = Size(0, 0), dict[str, float]()
    try:
        with read_only_job(policy, "advise", target=open_stage, progress=progress) as job:
            engine, source = job.engine, job.engine.open_source(base.source)
            columns = engine.columns(source)
            size = samples.size_of(engine, source, columns, entity)
            if purpose == "models" and target is not None:
                if size.people > MOST:
                    part = Sample(MOST / size.people)
                    source = samples.draw(engine, source, columns, part, entity)
                names = [name for name in base.quasi_identifiers if name != target]
                effects = effects_of(engine, source, columns, target, names)
                if target in base.quasi_identifiers:  # it matters as much as what explains it
                    effects[target] = max(effects.values(), default=0.0)
                weights = weights_of(effects)
    except BusyError:
        raise
    except AnonsqlError:
        pass
    return size, weights


def _limited(policy: Policy, seconds: float) -> Policy:
    limit = min(seconds, policy.engine.seconds or seconds)
    engine = policy.engine.model_copy(update={"seconds": limit})
    return policy.model_copy(update={"engine": engine})


def _given_up(base: Policy, choice: Choice, limit: float, found: Tried) -> Tried:
    """Return the result of a trial, or the line with the reason why it did not end in time."""
    if not isinstance(found.error, TimeLimitError):
        return found
    own = choice.valid.engine.seconds
    remedy = "a greater engine.seconds" if own and own <= limit else "a greater --budget"
    reason = f"not finished in {min(limit, own or limit):.3g} seconds; {remedy} allows more time."
    return untried(base, choice, "given up", reason, found.line.seconds)


def _report(
    trials: Trials, workload: WorkloadSettings, purpose: Purpose, started: float
) -> AdviceReport:
    base, choices, size = trials.base, trials.choices, trials.size
    named = {each.name: each.policy for each in choices if isinstance(each.policy, Policy)}
    found = side_by_side(named or {"POLICY": base}, trials.compared(), workload)
    ranking, unranked = _known(trials, found.policies)
    weighed = any(choice.label.endswith(WEIGHTED) for choice in choices)

    def placed(lines: Sequence[CompareLine]) -> list[CompareLine]:
        lost = (lambda line: line.gcp) if weighed else (lambda line: line.loss)
        return with_front(lines, ranking.figure, lost)

    lines, whole = placed(found.policies), list[CompareLine]()
    sample = None
    if trials.part != WHOLE:
        whole = [done.line for (_, part), done in trials.tried.items() if part == WHOLE]
        parts = max((part for _, part in trials.tried), default=1)
        sample = SampleSize(
            people=trials.people,
            rows=found.records,
            samples=parts,
            of_people=size.people,
            of_rows=size.rows,
        )
    changes = {choice.name: choice.change for choice in choices}
    advice = recommend(lines, changes, base.privacy.k, ranking, sample=sample, whole=whole)
    seconds = time.perf_counter() - started
    return AdviceReport.model_validate(
        {
            **dict(found),
            "policies": lines,
            "notes": unranked + found.notes,
            "k": base.privacy.k,
            "purpose": purpose,
            "ranked_by": ranking.by,
            "budget": trials.budget,
            "interrupted": trials.interrupted,
            "recommended": advice,
            "sample": sample,
            "figures": ranking.figures,
            "whole": placed(whole),
            "needed": _needed(trials, advice, whole, seconds),
            "seconds": round(seconds, 4),
        }
    )


def _known(trials: Trials, lines: Sequence[CompareLine]) -> tuple[Ranking, list[str]]:
    """Return the ranking, or that by COUNT queries with a note where no choice has its figure."""
    met, ranking = [line for line in lines if line.status == "met"], trials.ranking
    notes = []
    if met and all(ranking.figure(line) is None for line in met):
        notes = [f"no choice has the {ranking.by}: they are ranked by the {COUNTS.by}"]
        trials.ranking = COUNTS
    return replace(trials.ranking, figures=trials.figures()), notes


def _needed(
    trials: Trials, advice: Recommendation | None, whole: Sequence[CompareLine], seconds: float
) -> float | None:
    """Return the budget that is expected to be enough: for a choice, where none was done, or for
    the recommended one on the whole table, where it was not."""
    if advice is None:
        short = any(one.line.status in ("given up", "not tried") for one in trials.compared())
        return 4 * trials.budget if short and not trials.interrupted else None
    own = [line for line in whole if line.policy == advice.policy]
    if trials.part == WHOLE or any(line.status != "given up" for line in own):
        return None
    choice = next(each for each in trials.choices if each.name == advice.policy)
    tried = [line.seconds for line in own]
    expected = max([trials.expected(choice), *(2 * each for each in tried)])
    return math.ceil((seconds + 1.5 * expected) / 10) * 10.0 if math.isfinite(expected) else None
