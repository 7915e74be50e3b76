"""``anonsql advise``: try a policy's methods and numbers k on its source, and recommend one.

Each choice is tried exactly as ``compare`` tries a policy (:mod:`anonsql.commands.trials`): up to
the verification of its staged release, which is measured and thrown away.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from anonsql.commands.compare import FORMULAS, places_of
from anonsql.commands.trials import Trial, Tried
from anonsql.errors import PolicyError, TimeLimitError, did_you_mean
from anonsql.jobs.job import Progress, silent
from anonsql.measures.workload import WorkloadSettings
from anonsql.policy import methods as known
from anonsql.policy.policy import Given, Policy, plain, read_policy
from anonsql.report import choices
from anonsql.report.advice_documents import AdviceLine, AdviceReport, Change, ErrorShares
from anonsql.report.documents import Place

USUAL = ("full-domain", "full-subtree", "mondrian", "ring")
"""The methods that are tried where none are named, besides the policy's own: of each kind that
answers well, one."""
BUDGET = 300.0
"""The seconds that a choice has where nothing else is said."""
_LEAST_HALF = 3
"""Half the policy's k is tried from here on: smaller classes hide nobody."""
_MEASURES = ("loss", "gcp", "error", "risk", "untrue", "uniform", "seconds")

Told = Callable[[AdviceLine], None]


@dataclass(frozen=True)
class _Choice:
    """A method with a k; ``policy`` is the policy that they make, or the error that refuses
    them."""

    name: str
    method: str
    k: int
    take: Change
    policy: Policy | PolicyError


def advise_on(
    policy: Given,
    *,
    ks: Sequence[int] | None = None,
    methods: Sequence[str] | None = None,
    budget: float = BUDGET,
    queries: int = 1000,
    progress: Progress = silent,
    done: Told | None = None,
    show_values: bool = False,
) -> AdviceReport:
    """Try methods and numbers k: see :func:`anonsql.api.advise`."""
    started = time.perf_counter()
    base = Policy.of(policy)
    places = places_of({"POLICY": base})["POLICY"]
    workload = WorkloadSettings(queries=queries)
    if not (budget > 0 and math.isfinite(budget)):
        raise PolicyError.at("budget", f"found {budget:g} seconds.", "Give more than 0.")
    made = list(_choices(_data(policy), base, _ks(ks, base), _methods(methods, base), budget))
    columns, lines, results = sorted(base.quasi_identifiers), [], []
    for number, choice in enumerate(made, start=1):
        place = f"{number} of {len(made)}, {choice.name}"
        line, tried = _line(choice, columns, workload, _at(progress, place), show_values)
        lines.append(line)
        results += [tried] if tried is not None else []
        if done is not None:
            done(line)
    lines = choices.with_front(lines)
    reports = [each.report.records for each in results if each.report is not None]
    workloads = [each.useful.queries for each in results if each.useful and each.useful.queries]
    return AdviceReport(
        source=Place(
            database=str(places.source),
            table=base.source.name,
        ),
        records=min(reports, default=None),
        k=base.privacy.k,
        queries=max(map(len, workloads), default=0),
        budget=budget,
        policies=lines,
        recommended=choices.recommend(lines, base.privacy.k),
        notes=_notes(lines, reports, any(each != workloads[0] for each in workloads)),
        formulas={name: FORMULAS[name] for name in _MEASURES},
        seconds=round(time.perf_counter() - started, 4),
    )


def _data(given: Given) -> dict[str, Any]:
    """Return a policy as read from YAML. The given one is valid, so it is a mapping."""
    if isinstance(given, Policy):
        return given.model_dump(by_alias=True, exclude_unset=True)
    data = plain(given) if isinstance(given, Mapping) else read_policy(given)
    return dict(data)


def _ks(given: Sequence[int] | None, base: Policy) -> list[int]:
    """Return the numbers k to try, each once: half the policy's, its own and twice that where none
    are given."""
    own = base.privacy.k
    half = (own + 1) // 2
    found = list(given) if given is not None else [half] * (half >= _LEAST_HALF) + [own, 2 * own]
    if not found or any(each < 2 for each in found):
        raise PolicyError.at(
            "k", f"found {', '.join(map(str, found)) or 'none'}.", "Name whole numbers from 2 on."
        )
    return list(dict.fromkeys(found))


def _methods(given: Sequence[str] | None, base: Policy) -> list[str]:
    """Return the methods to try, each once; ``all`` stands for all that there are."""
    own = base.method.type
    if given is None:
        return [own, *(each for each in USUAL if each != own)]
    names = known.names()
    found = [each for word in given for each in (sorted(names) if word == "all" else [word])]
    if not found:
        raise PolicyError.at("methods", "there is none.", "Name one or more.")
    for each in found:
        if each not in names:
            hint = did_you_mean(each, names) or "`anonsql guide choose` lists them."
            raise PolicyError.at("methods", f"there is no method {each!r}.", hint)
    return list(dict.fromkeys(found))


def _choices(
    data: dict[str, Any], base: Policy, ks: Sequence[int], methods: Sequence[str], budget: float
) -> Iterator[_Choice]:
    """Return the policies to try, those of a method one after the other. The policy's own method
    keeps its settings, others have their usual ones."""
    own = base.method.type
    engine = dict(data.get("engine") or {})
    engine["seconds"] = min(budget, base.engine.seconds or budget)
    for method in methods:
        settings = data.get("method", {}) if method == own else {"type": method}
        for k in ks:
            changed = {
                **data,
                "method": settings,
                "privacy": {**data.get("privacy", {}), "k": k},
                "engine": engine,
            }
            take = Change(
                method=None if method == own else _flow(settings),
                k=None if k == base.privacy.k else k,
            )
            try:
                found: Policy | PolicyError = Policy.parse(changed, base._folder, base._file)
            except PolicyError as error:
                found = error
            yield _Choice(f"{method} k={k}", method, k, take, found)


def _flow(settings: Mapping[str, Any]) -> str:
    """Return settings as a line of YAML."""
    return yaml.safe_dump(
        dict(settings), default_flow_style=True, width=math.inf, sort_keys=False
    ).strip()


def _at(progress: Progress, place: str) -> Progress:
    """Return ``progress`` with the seconds since now, and the choice's place among all. The names
    of stages already begin with the choice's own."""
    started = time.perf_counter()

    def timed(stage: str, done: int, total: int) -> None:
        seconds = time.perf_counter() - started
        progress(f"{place}, {seconds:.0f} s: {stage.rpartition(': ')[-1]}", done, total)

    return timed


def _line(
    choice: _Choice,
    columns: Sequence[str],
    workload: WorkloadSettings,
    progress: Progress,
    show_values: bool,
) -> tuple[AdviceLine, Tried | None]:
    """Try a choice. Return its line, and what it made where it could be tried."""
    basics = {"policy": choice.name, "method": choice.method, "k": choice.k, "take": choice.take}
    if isinstance(choice.policy, PolicyError):
        reason = " ".join(str(choice.policy).split())
        return AdviceLine(**basics, status="refused", reason=reason, seconds=0.0), None
    started = time.perf_counter()
    trial = Trial(choice.name, choice.policy, columns, workload, closely=True, purpose="advise")
    tried = trial.run(progress, show_values)
    seconds = round(time.perf_counter() - started, 4)
    if isinstance(tried.error, TimeLimitError):
        limit = choice.policy.engine.seconds
        reason = f"not done in {limit:g} seconds; --budget gives a choice more."
        return AdviceLine(**basics, status="given up", reason=reason, seconds=seconds), tried
    found = tried.line
    if tried.useful is None:
        line = AdviceLine(**basics, status=found.status, reason=found.reason, seconds=found.seconds)
        return line, tried
    error = found.error
    line = AdviceLine(
        **basics,
        status="met",
        reason=None,
        error=(
            ErrorShares(median=error.median, ninetieth=error.ninetieth)
            if error is not None and error.median is not None and error.ninetieth is not None
            else None
        ),
        columns=list(tried.useful.entries),
        notes=found.notes,
        **{
            name: getattr(found, name)
            for name in ("loss", "gcp", "suppressed_share", "untrue", "uniform", "risk", "seconds")
        },
    )
    return line.model_copy(update={"means": choices.in_words(line)}), tried


def _notes(lines: Sequence[AdviceLine], records: Sequence[int], other_queries: bool) -> list[str]:
    """Return what must be known to compare the choices."""
    met = [each for each in lines if each.status == "met"]
    apart = list(dict.fromkeys(each.method for each in met if not choices.is_compared(each)))
    notes = [
        f"{each} releases sensitive values in tables of their own, which counts as no loss: it is"
        " not compared"
        for each in apart
    ]
    told = (known.traits(each.method).incomparable for each in met)
    notes += list(dict.fromkeys(each.removesuffix(": see relocated") for each in told if each))
    if len(set(records)) > 1 or other_queries:
        notes.append("the source changed in between: run again")
    return notes
