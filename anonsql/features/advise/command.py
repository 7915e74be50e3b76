"""``anonsql advise``: try a policy's methods and numbers k on its source, and recommend one.

Each choice is tried exactly as ``compare`` tries a policy
(:mod:`anonsql.features.compare.trials`): up to the verification of its staged release, which is
measured and thrown away.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import yaml

from anonsql.errors import PolicyError, TimeLimitError, did_you_mean
from anonsql.features.advise import decision
from anonsql.features.advise.budget import Budget
from anonsql.features.advise.document import (
    AdviceLine,
    AdviceReport,
    Change,
    ErrorShares,
    Purpose,
    Status,
)
from anonsql.features.advise.ranking import COUNTS, Ranking, ranking_of
from anonsql.features.compare.command import FORMULAS, places_of
from anonsql.features.compare.trials import Trial, Tried
from anonsql.jobs.job import Progress, silent
from anonsql.measures.workload import WorkloadSettings
from anonsql.policy import methods as known
from anonsql.policy.measuring import measuring_of
from anonsql.policy.policies import of_one
from anonsql.policy.policy import Given, Policy, plain, read_policy
from anonsql.presentation.documents import Place
from anonsql.system.clock import is_interrupt

USUAL = ("full-domain", "cell-generalization", "mondrian", "ring")
"""The methods that are tried where none are named, besides the policy's own: of each kind that
answers well, one."""
SETTINGS: Mapping[str, Mapping[str, Any]] = {"cell-generalization": {"effort": 4}}
"""Settings that a method is tried with, where the policy has another: as ``init`` proposes it."""
BUDGET = 60.0
"""The seconds that all choices have together where nothing else is said."""
_LEAST_HALF = 3
"""Half the policy's k is tried from here on: smaller classes hide nobody."""
SPENT = "the budget of {:g} seconds is spent; --budget gives more."
INTERRUPTED = "the command was interrupted."
_FIGURES = ("loss", "gcp", "suppressed_share", "untrue", "uniform", "risk", "seconds")
_MEASURES = ("loss", "gcp", "error", "risk", "untrue", "uniform", "seconds")

Began = Callable[[str], None]
Done = Callable[[AdviceLine, str], None]


@dataclass(frozen=True)
class _Choice:
    """A method with a k; ``policy`` is the policy that they make, or the error that refuses
    them."""

    name: str
    method: str
    k: int
    take: Change
    policy: Policy | PolicyError

    @property
    def basics(self) -> dict[str, Any]:
        """What every line of the choice says."""
        return {"policy": self.name, "method": self.method, "k": self.k, "take": self.take}


def advise(
    policy: Given,
    *,
    ks: Sequence[int] | None = None,
    methods: Sequence[str] | None = None,
    purpose: Purpose = "counts",
    target: str | None = None,
    budget: float = BUDGET,
    queries: int = 1000,
    progress: Progress = silent,
    began: Began | None = None,
    done: Done | None = None,
    show_values: bool = False,
) -> AdviceReport:
    """Try methods and numbers k on a policy's source, each as ``compare`` does, and recommend
    one. Nothing is published or recorded.

    Where they are not given, ``methods`` are the policy's own and one of each kind, ``ks`` the
    policy's k, half of it and twice it, tried in this order with all methods. They are ranked by
    what the ``purpose`` asks for: counts, means by group, or models, of a ``target`` where one is
    given or the policy's ``measure`` names one (see
    :func:`~anonsql.features.advise.ranking.ranking_of`). All choices together take ``budget``
    seconds; each may take an equal share of what is left for the methods that are still
    to be tried with its k, so that the first k gets its answers. One that takes longer is given up,
    and its line says so. ``began`` is called first, with what is going to be done, in
    words; ``done`` with every line as soon as there is one, and with how far the choices are ("4 of
    15, about 3 minutes left"). Ctrl-C ends the trials and keeps what is done. Raise PolicyError for
    a policy that is wrong by itself or an unknown method, BusyError when the source cannot be
    reached."""
    started = time.perf_counter()
    base = of_one(policy, "advise")
    places = places_of({"POLICY": base})["POLICY"]
    workload = WorkloadSettings(queries=queries)
    if not (budget > 0 and math.isfinite(budget)):
        raise PolicyError.at("budget", f"found {budget:g} seconds.", "Give more than 0.")
    ranking = _ranking(base, purpose, target)
    data = _data(policy) | {"measure": measuring_of(base, target, None).model_dump()}
    numbers, names = _ks(ks, base), _methods(methods, base)
    options = list(_choices(data, base, numbers, names))
    if began is not None:
        began(f"{len(options)} choices in {budget:g} seconds, ranked by {ranking.by}.")
    trials = _Trials(
        sorted(base.quasi_identifiers), workload, Budget(budget, len(options), len(names))
    )
    interrupted = False
    try:
        for choice in options:
            line = trials.line(choice, progress, show_values)
            if done is not None:
                done(line, trials.budget.standing())
    except (Exception, KeyboardInterrupt) as error:
        if not is_interrupt(error):
            raise
        interrupted = True
    lines, results = trials.lines, trials.results
    lines += [_untried(choice, INTERRUPTED) for choice in options[len(lines) :]]
    ranking, unranked = _known(ranking, lines)
    lines = decision.with_front(lines, ranking)
    reports = [result.report.records for result in results if result.report is not None]
    workloads = [tried.useful.queries for tried in results if tried.useful and tried.useful.queries]
    return AdviceReport(
        source=Place(
            database=str(places.source),
            table=base.source.name,
        ),
        records=min(reports, default=None),
        k=base.privacy.k,
        purpose=purpose,
        ranked_by=ranking.by,
        queries=max(map(len, workloads), default=0),
        budget=budget,
        interrupted=interrupted,
        policies=lines,
        recommended=decision.recommend(lines, base.privacy.k, ranking),
        notes=unranked
        + _notes(lines, reports, any(sequence != workloads[0] for sequence in workloads)),
        formulas={name: FORMULAS[name] for name in _MEASURES},
        seconds=round(time.perf_counter() - started, 4),
    )


def _ranking(base: Policy, purpose: Purpose, target: str | None) -> Ranking:
    """Return what choices are ranked by; raise PolicyError for another purpose."""
    purposes = get_args(Purpose)
    if purpose not in purposes:
        hint = did_you_mean(purpose, purposes) or f"Name one of {', '.join(purposes)}."
        raise PolicyError.at("for", f"there is no purpose {purpose!r}.", hint)
    return ranking_of(purpose, measuring_of(base, target, None).target)


def _known(ranking: Ranking, lines: Sequence[AdviceLine]) -> tuple[Ranking, list[str]]:
    """Return the ranking, or that by COUNT queries with a note where no choice has its figure."""
    met = [line for line in lines if line.status == "met"]
    if not met or any(ranking.figure(line) is not None for line in met):
        return ranking, []
    return COUNTS, [f"no choice tells {ranking.by}: they are ranked by {COUNTS.by}"]


def _data(policy: Given) -> dict[str, Any]:
    """Return a policy as read from YAML. The given one is valid, so it is a mapping."""
    if isinstance(policy, Policy):
        return policy.model_dump(by_alias=True, exclude_unset=True)
    data = plain(policy) if isinstance(policy, Mapping) else read_policy(policy)
    return dict(data)


def _ks(ks: Sequence[int] | None, base: Policy) -> list[int]:
    """Return the numbers k to try, each once: the policy's own, half of it and twice that where
    none are given."""
    own = base.privacy.k
    half = (own + 1) // 2
    numbers = list(ks) if ks is not None else [own] + [half] * (half >= _LEAST_HALF) + [2 * own]
    if not numbers or any(number < 2 for number in numbers):
        raise PolicyError.at(
            "k", f"found {', '.join(map(str, numbers)) or 'none'}.", "Name whole numbers from 2 on."
        )
    return list(dict.fromkeys(numbers))


def _methods(texts: Sequence[str] | None, base: Policy) -> list[str]:
    """Return the methods to try, each once; ``all`` stands for all that there are."""
    own = base.method.type
    if texts is None:
        return [own, *(name for name in USUAL if name != own)]
    names = known.names()
    methods = [name for word in texts for name in (sorted(names) if word == "all" else [word])]
    if not methods:
        raise PolicyError.at("methods", "there is none.", "Name one or more.")
    for name in methods:
        if name not in names:
            hint = did_you_mean(name, names) or "`anonsql guide choose` lists them."
            raise PolicyError.at("methods", f"there is no method {name!r}.", hint)
    return list(dict.fromkeys(methods))


def _choices(
    data: dict[str, Any], base: Policy, ks: Sequence[int], methods: Sequence[str]
) -> Iterator[_Choice]:
    """Return the policies to try, those of a k one after the other. The policy's own method keeps
    its settings, others have their usual ones."""
    own = base.method.type
    for k in ks:
        for method in methods:
            usual = {"type": method, **SETTINGS.get(method, {})}
            settings = data.get("method", {}) if method == own else usual
            changed = {
                **data,
                "method": settings,
                "privacy": {**data.get("privacy", {}), "k": k},
            }
            take = Change(
                method=None if method == own else _flow(settings),
                k=None if k == base.privacy.k else k,
            )
            try:
                result: Policy | PolicyError = Policy.parse(changed, base._folder, base._file)
            except PolicyError as error:
                result = error
            yield _Choice(f"{method} k={k}", method, k, take, result)


def _flow(settings: Mapping[str, Any]) -> str:
    """Return settings as a line of YAML."""
    return yaml.safe_dump(
        dict(settings), default_flow_style=True, width=math.inf, sort_keys=False
    ).strip()


class _Trials:
    """Tries choices one after the other within a budget: their ``lines``, and what those that could
    be tried made of the source (``results``)."""

    def __init__(self, columns: Sequence[str], workload: WorkloadSettings, budget: Budget) -> None:
        self.budget = budget
        self.lines: list[AdviceLine] = []
        self.results: list[Tried] = []
        self._columns = columns
        self._workload = workload

    def line(self, choice: _Choice, progress: Progress, show_values: bool) -> AdviceLine:
        """Try a choice, and return its line. A method that was given up is not tried with another
        k, since that takes as long."""
        gone = [
            line
            for line in self.lines
            if line.status == "given up" and line.method == choice.method
        ]
        if isinstance(choice.policy, PolicyError):
            line = _untried(choice, " ".join(str(choice.policy).split()), "refused")
        elif gone:
            line = _untried(
                choice, f"without a try, since k={gone[0].k} took too long.", "given up"
            )
        elif self.budget.share <= 0:
            line = _untried(choice, SPENT.format(self.budget.seconds))
        else:
            line = self._tried(choice, choice.policy, progress, show_values)
        self.budget.count(tried=line.seconds > 0)
        self.lines.append(line)
        return line

    def _tried(
        self, choice: _Choice, policy: Policy, progress: Progress, show_values: bool
    ) -> AdviceLine:
        """Run a choice up to its verified staged release, and measure that."""
        started = time.perf_counter()
        share = self.budget.share
        limit = min(share, policy.engine.seconds or share)
        engine = policy.engine.model_copy(update={"seconds": limit})
        trial = Trial(
            choice.name,
            policy.model_copy(update={"engine": engine}),
            self._columns,
            self._workload,
            closely=True,
            purpose="advise",
        )
        tried = trial.run(_at(progress, f"{choice.name}, {self.budget.standing()}"), show_values)
        self.results.append(tried)
        seconds = round(time.perf_counter() - started, 4)
        if isinstance(tried.error, TimeLimitError):
            remedy = "a greater --budget" if limit == share else "a greater engine.seconds"
            reason = f"not done in {limit:.3g} seconds; {remedy} gives it more."
            return _untried(choice, reason, "given up", seconds)
        result = tried.line
        if tried.useful is None:
            status: Status = "failed" if result.status == "failed" else "not met"
            return _untried(choice, result.reason, status, result.seconds)
        line = AdviceLine(
            **choice.basics,
            status="met",
            reason=None,
            error=(
                ErrorShares(median=result.error.median, ninetieth=result.error.ninetieth)
                if result.error is not None
                and result.error.median is not None
                and result.error.ninetieth is not None
                else None
            ),
            columns=list(tried.useful.entries),
            usefulness=result.usefulness,
            notes=result.notes,
            **{name: getattr(result, name) for name in _FIGURES},
        )
        return line.model_copy(update={"means": decision.in_words(line)})


def _untried(
    choice: _Choice, reason: str | None, status: Status = "not tried", seconds: float = 0.0
) -> AdviceLine:
    return AdviceLine(**choice.basics, status=status, reason=reason, seconds=seconds)


def _at(progress: Progress, standing: str) -> Progress:
    """Return ``progress`` with the seconds since now, and how far the choices are. The names of
    stages already begin with the choice's own."""
    started = time.perf_counter()

    def timed(stage: str, done: int, total: int) -> None:
        seconds = time.perf_counter() - started
        progress(f"{standing}, {seconds:.0f} s: {stage.rpartition(': ')[-1]}", done, total)

    return timed


def _notes(lines: Sequence[AdviceLine], records: Sequence[int], other_queries: bool) -> list[str]:
    """Return what must be known to compare the choices."""
    met = [line for line in lines if line.status == "met"]
    apart = list(dict.fromkeys(line.method for line in met if not decision.is_compared(line)))
    notes = [
        f"{name} releases sensitive values in tables of their own, which counts as no loss: it is"
        " not compared"
        for name in apart
    ]
    result = (known.traits(line.method).incomparable for line in met)
    notes += list(dict.fromkeys(str_.removesuffix(": see relocated") for str_ in result if str_))
    if len(set(records)) > 1 or other_queries:
        notes.append("the source changed in between: run again")
    return notes
