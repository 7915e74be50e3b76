"""``anonsql attack``: attack the published release of a policy, and report what an attacker learns
beyond the promise and the classes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from anonsql.attacks.guessing import MOST_NUMBERS, TOLERANCE, Attacker, Outcome
from anonsql.attacks.people import PeopleAttacker
from anonsql.attacks.sides import DRAWN, RELEASE, Facet, Sides
from anonsql.attacks.statistics import Counted, residual
from anonsql.engines.base import Relation, ReleaseTables
from anonsql.errors import PolicyError, did_you_mean
from anonsql.features.attack import known_rule
from anonsql.features.attack.described import ALL_ROWS, KEPT, meaning, to_do
from anonsql.features.attack.document import Attack, AttackReport, Kind, NotAttacked, Rate
from anonsql.features.verify.command import make_dimensions
from anonsql.jobs import source_columns
from anonsql.jobs.job import Job
from anonsql.jobs.sessions import read_only_job
from anonsql.policy.policies import of_one
from anonsql.policy.policy import Given, Policy
from anonsql.policy.release_parts import COMPLETED
from anonsql.policy.table_plan import TablePlan
from anonsql.presentation.documents import Place
from anonsql.system import text_files
from anonsql.system.arrays import np
from anonsql.system.clock import Progress, silent
from anonsql.system.numbers import rounded
from anonsql.verification import order
from anonsql.verification.facts import count_of, facts_of
from anonsql.verification.structure import LABELS

_LABELS = "labels"
_Named = tuple[str, Outcome]
KINDS: tuple[Kind, ...] = get_args(Kind)
ATTEMPTS = 2_000
CONFIDENCE = 0.95


def attack(
    policy: Given,
    settings: AttackSettings | None = None,
    *,
    html: str | Path | None = None,
    progress: Progress = silent,
    **options: Any,
) -> AttackReport:
    """Attack the published release of a policy, and return the results; see
    :class:`AttackSettings`, whose fields may be given one by one. The source is read to score
    guesses. ``html`` is a file for a page with the results, for readers who may see the source.
    Nothing else is changed. Raise PolicyError where a setting makes no sense, there is nothing to
    attack, or the page cannot be written."""
    wanted = replace(settings or AttackSettings(), **options)
    if html is not None:
        text_files.require_replaceable(Path(html), "--html")
    report = _found(
        source_columns.resolved(of_one(policy, "attack"), comparing=True), wanted, progress
    )
    if html is not None:
        from anonsql.features.attack.described import describe
        from anonsql.presentation import page

        title = f"The release {report.release.table}, attacked"
        page.write(html, "attack", title, describe(report))
    return report


def _found(one: Policy, wanted: AttackSettings, progress: Progress) -> AttackReport:
    started = time.perf_counter()
    kinds = kinds_of(wanted, one)
    with (
        read_only_job(one, "attack", progress=progress, reading=True) as job,
        job.target.published() as published,
    ):
        require_labels(published, one)
        make_dimensions(job)
        source = job.opened.source
        entity = one.privacy.entity
        person = next((column for column in job.opened.columns if column.name == entity), None)
        sides = Sides(job.engine, published, one, source, job.counted.attributes, person=person)
        if not published.engine.query("verification/rows", table=published.rows)[0][0]:
            raise nothing("it has no rows.")
        with closing(sides):
            sides.make(source, control_of(job, wanted))
            if sides.people:
                sides.find_owners()
            return _Attacked(one, job, published, sides, wanted, kinds).report(started)


@dataclass
class _Attacked:
    policy: Policy
    job: Job
    published: ReleaseTables
    sides: Sides
    wanted: AttackSettings
    kinds: Sequence[Kind]

    def __post_init__(self) -> None:
        """Count the classes, and set up the attacker."""
        policy = self.policy
        self.about = facts_of(self.published)
        self.rows = self.sides.total(RELEASE)
        if not self.rows:
            raise nothing("all of its rows are masked.")
        _, classes, least, below = self.sides.classes(policy.privacy.k)
        self.by_labels = policy.method.equal_rows_are_classes and not policy.separated
        self.below = below if self.by_labels and not policy.privacy.several else None
        stated = (count_of(self.about, "classes"), count_of(self.about, "min_class"))
        self.classes, self.least = (classes, least) if self.by_labels else stated
        self.people: int | None = None
        self.least_people: int | None = None
        if self.sides.people:
            self._count_people()
        self.not_attacked: list[NotAttacked] = []
        self.broken = bool(self.below)

    def _count_people(self) -> None:
        """Count the people of classes. The run knew the people of each class; the source only gives
        an upper bound."""
        *fitting, below = self.sides.class_people(self.policy.privacy.k)
        self.below = below if self.below is not None else None
        stated = [count_of(self.about, fact) for fact in ("people_in_classes", "min_people")]
        self.people, self.least_people = (
            own if own >= 0 and (own < most or not self.by_labels) else most
            for own, most in zip(stated, fitting, strict=True)
        )

    def report(self, started: float) -> AttackReport:
        """Make all attacks, and return the findings."""
        job, policy = self.job, self.policy
        in_order = order.of_release(self.published, policy)
        rule = known_rule.of(self.sides, self.published, policy) if self.kinds else None
        kept = self.sides.values  # as they are before those of a draw take their place
        self.broken |= bool(in_order)
        attacks = list(self._attacks())
        beyond = [one for one in attacks if one.beyond]
        values = {one.name: self.sides.distinct(one) for one in kept} if beyond else {}
        together, short = None, list[str]()
        if self.wanted.with_releases:
            from anonsql.features.attack.with_releases import audit

            self.sides.close()
            together, short = audit(job, self.published, self.wanted.with_releases)
        job.engine.require_unchanged()
        return AttackReport(
            method=self.about.get("method", policy.method.type),
            k=policy.privacy.k,
            rows=self.rows,
            classes=self.classes,
            smallest_class=self.least,
            entity=policy.privacy.entity,
            smallest_people=self.least_people,
            below_k=self.below,
            by_classes=self._by_classes,
            order=in_order,
            attempts=self.wanted.attempts,
            seed=self.wanted.seed,
            confidence=self.wanted.confidence,
            control="left out" if self.wanted.control is None else "table",
            known_rule=rule,
            attacks=attacks,
            not_attacked=self.not_attacked,
            together=together,
            together_short=short,
            beyond=bool(beyond or self.broken or short),
            to_do=to_do(policy, beyond, values, broken=self.broken, short=bool(short)),
            statements=job.context.journal.count(),
            seconds=round(time.perf_counter() - started, 4),
            release=Place(database=str(job.places.release), table=policy.release.name),
        )

    @property
    def _by_classes(self) -> float:
        """How likely a guess is right that takes one row of a class, or person, by chance."""
        members = self.rows if self.people is None else self.people
        return rounded(min(self.classes / max(members, 1), 1.0))

    def _attacks(self) -> Iterator[Attack]:
        made: dict[Kind, Callable[[Attacker], Iterator[_Named]]] = {
            "singling-out": self._singling_out,
            "linkability": self._linkability,
            "inference": self._inference,
        }
        for number, kind in enumerate(self.kinds):
            self.job.progress(kind, number, len(self.kinds))
            for by, outcome in made[kind](self._attacker(kind)):
                yield self._document(kind, by, outcome)
        guesses = {"linkability": self._linkability, "inference": self._inference}
        drawn: list[Kind] = [kind for kind in self.kinds if kind in guesses]
        if drawn and self._completed is not None:
            self.sides.make_draw(self._completed)
            self.sides.take_draw()
            for kind in drawn:
                for by, outcome in guesses[kind](self._attacker(kind)):
                    drawn_so = replace(outcome, certain=None)  # other draws say otherwise
                    yield self._document(kind, f"{by}, drawn", drawn_so)

    def _attacker(self, kind: Kind) -> Attacker:
        random = np.random.default_rng([self.wanted.seed, KINDS.index(kind)])
        controlled = self.wanted.control is not None
        kind_of = PeopleAttacker if self.sides.people else Attacker
        return kind_of(self.sides, self.wanted.attempts, random, controlled)

    def _singling_out(self, attacker: Attacker) -> Iterator[_Named]:
        labels, values = self.sides.labels, self.sides.values
        yield _LABELS, attacker.within(lambda one: one.singling_out(labels))
        if values:
            yield KEPT, attacker.within(lambda one: one.singling_out(values))
            yield "all columns", attacker.within(lambda one: one.singling_out([*labels, *values]))
        if isinstance(attacker, PeopleAttacker) and self.sides.linked:
            yield ALL_ROWS, attacker.within(partial(PeopleAttacker.all_rows, labels=labels))
        if self._completed is None:
            if COMPLETED in self.published.extras:
                text = (
                    "the completed table is not in the same database as the source, or has"
                    " withheld values"
                )
                self._skip("singling-out", text)
            return
        self.sides.make_draw(self._completed)
        yield "all columns, drawn", attacker.singling_out([*labels, *values], DRAWN)

    @property
    def _completed(self) -> Relation | None:
        """The completed table, if its draws can be compared with the source."""
        apart = self.published.engine is not self.job.engine or self.policy.conditions
        return None if apart else self.published.extras.get(COMPLETED)

    def _linkability(self, attacker: Attacker) -> Iterator[_Named]:
        labels, values = self.sides.labels, self.sides.values
        if values:
            linked = attacker.within(lambda one: one.linkability(labels, values))
            yield f"{_LABELS} → {KEPT}", linked
        both: list[Facet] = [*labels, *values]
        if len(both) < 2:
            self._skip("linkability", "one column cannot be divided between two places")
            return
        attacker.random.shuffle(both)  # type: ignore[arg-type]
        halves = both[: len(both) // 2], both[len(both) // 2 :]
        linked = attacker.within(lambda one: one.linkability(*halves))
        yield "one half → the other", linked

    def _inference(self, attacker: Attacker) -> Iterator[_Named]:
        secrets = [facet for facet in self.sides.values if facet.sensitive]
        if not secrets:
            self._skip("inference", "no column of the release is sensitive and can be compared")
        for secret in secrets:
            guessed = attacker.within(partial(_inferred, secret=secret))
            yield f"{_LABELS} → {secret.name}", guessed
            if secret.numeric and self.sides.distinct(secret) <= MOST_NUMBERS:
                near = attacker.within(partial(_inferred, secret=secret, near=True))
                yield f"{_LABELS} → {secret.name}, within {TOLERANCE:.0%}", near

    def _skip(self, kind: Kind, why: str) -> None:
        self.not_attacked.append(NotAttacked(kind=kind, why=why))

    def _document(self, kind: Kind, by: str, outcome: Outcome) -> Attack:
        confidence = self.wanted.confidence
        left = residual(outcome.attack, outcome.control, confidence)
        diversity = self.policy.privacy.l_diversity
        ruled_out = bool(outcome.certain) and any(
            name in diversity and diversity[name].least > 1 for name in outcome.guessed
        )
        more = left is not None and left.lower > self._by_classes
        self.broken |= ruled_out
        attacked = Attack(
            kind=kind,
            by=by,
            known=list(outcome.known),
            guessed=list(outcome.guessed),
            attack=_rate(outcome.attack, confidence),
            control=_rate(outcome.control, confidence),
            risk=None if left is None else rounded(left.risk),
            lower=None if left is None else rounded(left.lower),
            upper=None if left is None else rounded(left.upper),
            certain=outcome.certain,
            beyond=more or ruled_out,
            means="",
        )
        people = self.sides.people
        means = meaning(attacked, self._by_classes, ruled_out=ruled_out, people=people)
        return attacked.model_copy(update={"means": means})


def _inferred(attacker: Attacker, secret: Facet, *, near: bool = False) -> Outcome:
    return attacker.inference(secret, near=near)


def _rate(counted: Counted, confidence: float) -> Rate:
    lower, upper = counted.interval(confidence)
    return Rate(
        guesses=counted.guesses,
        successes=counted.successes,
        rate=None if counted.rate is None else rounded(counted.rate),
        lower=rounded(lower),
        upper=rounded(upper),
    )


@dataclass(frozen=True)
class AttackSettings:
    """The settings of ``anonsql attack``. ``kinds``: the attacks to make (none: all); ``attempts``:
    guesses of each at most; ``control``: a table of the source's database with rows of the same
    population that were not released; ``confidence`` of the intervals; ``with_releases``: other
    releases of the source, each given as to ``query``."""

    kinds: Sequence[str] = ()
    attempts: int = ATTEMPTS
    seed: int = 0
    control: str | None = None
    confidence: float = CONFIDENCE
    with_releases: Sequence[object] = ()


def require_labels(published: ReleaseTables, policy: TablePlan) -> None:
    """Raise PolicyError where the release lacks labels of a column of the policy."""
    columns = published.engine.columns(published.rows)
    readable = {column.name for column in columns if column.type in LABELS}
    if lacking := [name for name in policy.quasi_identifiers if name not in readable]:
        named = ", ".join(map(repr, lacking))
        text = f"the release has no labels of {named}: it is not a release of this policy."
        raise PolicyError.at("release", text, "`anonsql verify` lists all problems of the release.")


def nothing(found: str) -> PolicyError:
    """Return the error of a release in which nothing is to be attacked."""
    return PolicyError.at("release", f"there is nothing to attack: {found}", "Publish rows first.")


def kinds_of(wanted: AttackSettings, policy: TablePlan) -> Sequence[Kind]:
    """Return the attacks to make; raise PolicyError where settings make no sense."""
    for kind in wanted.kinds:
        if kind not in KINDS:
            remedy = did_you_mean(kind, KINDS) or f"Known: {', '.join(KINDS)}."
            raise PolicyError.at("--kinds", f"there is no attack {kind!r}.", remedy)
    if wanted.attempts < 1:
        text = f"{wanted.attempts:,} attempts cannot find anything."
        raise PolicyError.at("--attempts", text, "Give a number of at least 1.")
    if not 0 < wanted.confidence < 1:
        text = f"{wanted.confidence:g} is not a valid confidence."
        raise PolicyError.at("--confidence", text, "Give a number between 0 and 1, e.g. 0.95.")
    asked = [kind for kind in KINDS if kind in wanted.kinds] or list(KINDS)
    sensitive = [name for name, one in policy.columns.items() if one.role == "sensitive"]
    if "inference" in wanted.kinds and not (sensitive or policy.tabled):
        raise PolicyError.at(
            "--kinds",
            "inference guesses sensitive values, and no column of the policy is sensitive.",
            "Leave inference out, or give a column the role sensitive.",
        )
    return asked


def control_of(job: Job, wanted: AttackSettings) -> Relation | None:
    """Return the table of the control, if any; raise PolicyError where it lacks a column."""
    if wanted.control is None:
        return None
    source = job.first.source
    if source.table is None:
        text = "the source is a file, which has no other tables."
        raise PolicyError.at("--control", text, "Put both tables into a database.")
    there = source.model_copy(update={"table": wanted.control})
    table = job.engine.open_beside(there, "--control")
    lacking = {column.name for column in job.opened.columns} - {
        column.name for column in job.engine.columns(table)
    }
    if lacking:
        named = ", ".join(map(repr, sorted(lacking)))
        text = f"{wanted.control!r} lacks columns of the source: {named}."
        raise PolicyError.at("--control", text, "Name a table that has all of them.")
    return table
