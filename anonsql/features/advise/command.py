"""``anonsql advise``: compare a policy with other methods and other numbers k on its source, and
recommend one.

Each choice is a policy that is tried as ``compare`` tries it, within a share of a budget of time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import yaml

from anonsql.errors import PolicyError, TimeLimitError, did_you_mean
from anonsql.features.advise.decision import COUNTS, Ranking, ranking_of, recommend
from anonsql.features.advise.described import describe
from anonsql.features.advise.document import AdviceReport, Change, Purpose
from anonsql.features.compare.command import (
    OF_A_KIND,
    require_one_source,
    shared_columns,
    side_by_side,
)
from anonsql.features.compare.described import page_title
from anonsql.features.compare.document import CompareLine, Status, with_front
from anonsql.features.compare.trials import Trial, Tried
from anonsql.jobs import source_columns
from anonsql.measures.workload import WorkloadSettings
from anonsql.policy import methods as known
from anonsql.policy.envelope import plain, read_policy
from anonsql.policy.measuring import measuring_of
from anonsql.policy.policies import of_one
from anonsql.policy.policy import Given, Policy
from anonsql.presentation import page
from anonsql.privacy.promise import promised_facts
from anonsql.system import text_files
from anonsql.system.clock import Progress, is_interrupt, silent

USUAL = ("full-domain", "cell-generalization", "mondrian", "ring")
"""The methods that are tried where none are named, besides the policy's own: of each kind that
answers well, one."""
SETTINGS: Mapping[str, Mapping[str, Any]] = {"cell-generalization": {"effort": 4}}
"""Settings that a method is tried with, where the policy has another: as ``init`` proposes it."""
BUDGET = 60.0
"""The seconds that all choices have together where nothing else is said."""
_LEAST_HALF = 3
"""Half the policy's k is tried from here on: smaller classes hide no person."""


@dataclass(frozen=True)
class Choice:
    """A method with a k, the ``change`` of the policy that they need, and the ``policy`` that they
    make, or the error that refuses them."""

    method: str
    k: int
    change: Change
    policy: Policy | PolicyError

    @property
    def name(self) -> str:
        """The name of the choice in the comparison."""
        return f"{self.method} k={self.k}"


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
    one. Nothing is published or recorded.

    Where they are not given, ``methods`` are the policy's own and one of each kind, ``ks`` the
    policy's k, half of it and twice it, tried in this order with all methods. They are ranked by
    what the ``purpose`` asks for: counts, means by group, or models, of a ``target`` where one is
    given or the policy's ``measure`` names one. All choices together take ``budget`` seconds. Each
    may take an equal share of the seconds left for the methods still to be tried with its k. A
    choice that takes longer is given up. Ctrl-C ends the trials and keeps what is done. ``html`` is
    a file to write the page of the comparison to. Raise PolicyError for a policy that is wrong by
    itself or an unknown method, BusyError when the source cannot be reached."""
    started = time.perf_counter()
    base = source_columns.resolved(of_one(policy, "advise"))
    given = policy if base.origin.patterns is None else base
    require_one_source({"POLICY": base})
    if not (budget > 0 and math.isfinite(budget)):
        raise PolicyError.at("budget", f"found {budget:g} seconds.", "Give more than 0.")
    if purpose not in (purposes := get_args(Purpose)):
        hint = did_you_mean(purpose, purposes) or f"Name one of {', '.join(purposes)}."
        raise PolicyError.at("for", f"there is no purpose {purpose!r}.", hint)
    if html is not None:
        text_files.require_replaceable(Path(html), "--html")
    measure = measuring_of(base, target, None)
    names = _methods(methods, base)
    choices = list(_choices(_data(given) | {"measure": measure.model_dump()}, base, ks, names))
    workload = WorkloadSettings(queries=queries)
    trials = Trials(base, choices, len(names), budget, workload, OF_A_KIND if html else 0)
    interrupted = trials.run(progress, show_values)
    named = {each.name: each.policy for each in choices if isinstance(each.policy, Policy)}
    found = side_by_side(named or {"POLICY": base}, trials.tried, workload)
    ranking, unranked = _known(ranking_of(purpose, measure.target), found.policies)
    lines = with_front(found.policies, ranking.figure)
    changes = {choice.name: choice.change for choice in choices}
    report = AdviceReport.model_validate(
        {
            **dict(found),
            "policies": lines,
            "notes": unranked + found.notes,
            "k": base.privacy.k,
            "purpose": purpose,
            "ranked_by": ranking.by,
            "budget": budget,
            "interrupted": interrupted,
            "recommended": recommend(lines, changes, base.privacy.k, ranking),
            "seconds": round(time.perf_counter() - started, 4),
        }
    )
    if html is not None:
        page.write(html, "advise", page_title(report), describe(report))
    return report


def _known(ranking: Ranking, lines: Sequence[CompareLine]) -> tuple[Ranking, list[str]]:
    """Return the ranking, or that by COUNT queries with a note where no choice has its figure."""
    met = [line for line in lines if line.status == "met"]
    if not met or any(ranking.figure(line) is not None for line in met):
        return ranking, []
    return COUNTS, [f"no choice has the {ranking.by}: they are ranked by the {COUNTS.by}"]


def _data(policy: Given) -> dict[str, Any]:
    """Return a policy as read from YAML. The given one is valid, so it is a mapping."""
    if isinstance(policy, Policy):
        return policy.model_dump(by_alias=True, exclude_unset=True)
    return dict(plain(policy) if isinstance(policy, Mapping) else read_policy(policy))


def _ks(ks: Sequence[int] | None, own: int) -> list[int]:
    """Return the numbers k to try, each once: the policy's own, half of it and twice that where
    none are given."""
    half = (own + 1) // 2
    numbers = list(ks) if ks is not None else [own] + [half] * (half >= _LEAST_HALF) + [2 * own]
    if not numbers or any(number < 2 for number in numbers):
        raise PolicyError.at(
            "k", f"found {', '.join(map(str, numbers)) or 'none'}.", "Name whole numbers from 2 on."
        )
    return list(dict.fromkeys(numbers))


def _methods(texts: Sequence[str] | None, base: Policy) -> list[str]:
    """Return the methods to try, each once; ``all`` stands for all that there are."""
    if texts is None:
        return list(dict.fromkeys([base.method.type, *USUAL]))
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
    data: dict[str, Any], base: Policy, ks: Sequence[int] | None, methods: Sequence[str]
) -> Iterator[Choice]:
    """Return the policies to try, those of a k one after the other. The policy's own method keeps
    its settings, others have their usual ones."""
    own = base.method.type
    for k in _ks(ks, base.privacy.k):
        for method in methods:
            usual = {"type": method, **SETTINGS.get(method, {})}
            settings = data.get("method", {}) if method == own else usual
            changed = {
                **data,
                "method": settings,
                "privacy": {**data.get("privacy", {}), "k": k},
            }
            change = Change(
                method=None if method == own else _flow(usual),
                k=None if k == base.privacy.k else k,
            )
            try:
                result: Policy | PolicyError = Policy.parse(
                    changed, base.origin.folder, base.origin.file
                )
            except PolicyError as error:
                result = error
            yield Choice(method, k, change, result)


def _flow(settings: Mapping[str, Any]) -> str:
    """Return settings as a line of YAML."""
    return yaml.safe_dump(
        dict(settings), default_flow_style=True, width=math.inf, sort_keys=False
    ).strip()


@dataclass
class Trials:
    """Tries ``choices`` one after the other, ``together`` of each k, within a ``budget`` of seconds
    for all: what each made of the source is in ``tried``."""

    base: Policy
    choices: Sequence[Choice]
    together: int
    budget: float
    workload: WorkloadSettings
    by_kind: int = 0
    tried: list[Tried] = field(default_factory=list)
    started: float = field(default_factory=time.perf_counter)

    @property
    def left(self) -> float:
        """The seconds of the budget that are left."""
        return self.budget - (time.perf_counter() - self.started)

    @property
    def share(self) -> float:
        """The seconds that the next choice may take; 0 or less when the budget is spent."""
        return self.left / (self.together - len(self.tried) % self.together)

    def run(self, progress: Progress, show_values: bool) -> bool:
        """Try all choices, and return whether Ctrl-C ended that before its end."""
        try:
            for choice in self.choices:
                self.tried.append(self._try(choice, progress, show_values))
        except (Exception, KeyboardInterrupt) as error:
            if not is_interrupt(error):
                raise
        rest = self.choices[len(self.tried) :]
        self.tried += [
            self._untried(choice, "not tried", "the command was interrupted.") for choice in rest
        ]
        return bool(rest)

    def _try(self, choice: Choice, progress: Progress, show_values: bool) -> Tried:
        """Return what a choice made of the source. A method that was given up is not tried with
        another k, since that takes as long."""
        if isinstance(choice.policy, PolicyError):
            return self._untried(choice, "refused", " ".join(str(choice.policy).split()))
        for line in (each.line for each in self.tried):
            if line.status == "given up" and line.method == choice.method:
                return self._untried(choice, "given up", f"k={line.k} took too long.")
        if (share := self.share) <= 0:
            spent = f"the budget of {self.budget:g} seconds is spent; --budget gives more."
            return self._untried(choice, "not tried", spent)
        policy = choice.policy
        limit = min(share, policy.engine.seconds or share)
        engine = policy.engine.model_copy(update={"seconds": limit})
        standing = f"{len(self.tried)} of {len(self.choices)}, {self.left:.0f} s left"
        result = Trial(
            choice.name,
            policy.model_copy(update={"engine": engine}),
            shared_columns([policy]),
            self.workload,
            by_kind=self.by_kind,
            purpose="advise",
        ).run(lambda stage, *done: progress(f"{standing}: {stage}", *done), show_values)
        if not isinstance(result.error, TimeLimitError):
            return result
        remedy = "a greater --budget" if limit == share else "a greater engine.seconds"
        reason = f"not done in {limit:.3g} seconds; {remedy} gives it more."
        return self._untried(choice, "given up", reason, result.line.seconds)

    def _untried(self, choice: Choice, status: Status, reason: str, seconds: float = 0.0) -> Tried:
        """Return the line of a choice without a release."""
        line = CompareLine(
            policy=choice.name,
            status=status,
            reason=reason,
            method=choice.method,
            settings="",
            k=choice.k,
            promises=promised_facts(self.base.privacy),
            suppression_limit=self.base.privacy.suppression_limit,
            seconds=seconds,
        )
        return Tried(line)
