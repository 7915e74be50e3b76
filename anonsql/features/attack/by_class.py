"""What remains possible of classes that are looked at one by one, by what the method would have
made of other rows: with which secrets a class's people may go (refinement), and which values its
labels may stand for (downcoding)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from anonsql.attacks.guessing import Outcome
from anonsql.attacks.minimality import (
    Judged,
    Likely,
    Row,
    Rows,
    Suspected,
    judge,
    secrets_of,
    values_of,
)
from anonsql.attacks.refinement import Codes, Placed
from anonsql.attacks.sides import SOURCE, Facet, Sides, TooManyPairsError
from anonsql.attacks.statistics import Counted
from anonsql.features.attack.document import Excluded
from anonsql.features.attack.trials import Trial
from anonsql.jobs.job import Job
from anonsql.policy.privacy import KeptLimits
from anonsql.system.arrays import np

MOST_OF_CLASS = 100
"""The greatest number of hypotheses of a class that are tried side by side."""
MOST_ALONE = 12
"""The same where each takes a release of the whole table."""
MOST_ROWS = 500_000
"""The greatest number of rows of a trial, the source's among them."""


@dataclass(frozen=True)
class Members:
    """The rows of the source by their class, None for those that were suppressed, and of each class
    the numbers of its labels. ``apart``: no row may be in several classes, by its values."""

    placed: Sequence[tuple[int | None, Codes, int, int]]
    labels: Mapping[int, Codes]
    apart: bool = True

    @property
    def known(self) -> list[Placed]:
        """The rows whose class is known."""
        return [(one, codes, value, n) for one, codes, value, n in self.placed if one is not None]

    @property
    def suppressed(self) -> bool:
        """Whether rows were suppressed."""
        return any(one is None for one, *_ in self.placed)

    @property
    def rows(self) -> Rows:
        """All rows."""
        return tuple((codes, value) for _, codes, value, n in self.placed for _ in range(n))

    @property
    def classes(self) -> dict[int, Counter[Row]]:
        """The rows of each class."""
        classes: dict[int, Counter[Row]] = defaultdict(Counter)
        for number, codes, value, n in self.known:
            classes[number][codes, value] += n
        return classes


@dataclass(frozen=True)
class Remaining:
    """What remains of the hypotheses of some classes: of each, those that do. ``excluded``: for
    whom the others are impossible."""

    found: Sequence[tuple[int, Suspected, Sequence[Rows]]]
    excluded: Excluded

    @property
    def words(self) -> str:
        """What was tried, in a few words."""
        tried = sum(len(suspected.tried) for _, suspected, _ in self.found)
        left = sum(len(rows) for *_, rows in self.found)
        return f"{left:,} of {tried:,} tried in {len(self.found):,} classes remain"


def members_of(trial: Trial, *, again: bool) -> Members | str:
    """Return which rows of the source are in which class, or why that cannot be told. Where their
    values do not say it, the release may be made ``again``."""
    sides, secret = trial.sides, trial.secret
    total = sides.total(SOURCE)
    if total > MOST_ROWS:
        return f"the source has more than {MOST_ROWS:,} rows"
    sides.draw(SOURCE, total, np.random.default_rng(0))  # that is all of them
    sides.look_for(SOURCE, [*sides.labels, *([] if secret is None else [secret])])
    try:
        pairs = sides.joined(sides.labels)
    except TooManyPairsError:
        return "people may be too many released rows"
    try:
        facets = [f"v{facet.number}" for facet in sides.labels]
        shared = {"steps": len(facets), "facets": facets}
        number = None if secret is None else secret.number
        found = sides.engine.query("attacks/placed", **shared, facet=number)
        labels = sides.engine.query("attacks/class_labels", **shared)
    finally:
        pairs.drop()
    placed = [
        (None if one is None else int(one), tuple(map(int, codes)), int(value), int(n))
        for one, n, value, *codes in found
    ]
    if sum(n for *_, n in placed) == total and not trial.job.policy.method.changes_values:
        return Members(placed, {int(one): tuple(map(int, numbers)) for one, *numbers in labels})
    if not again:
        return "people may be in several classes, and `--trials` lets the release be made again"
    return _made_again(trial, {(codes, value): n for _, codes, value, n in placed})


def _made_again(trial: Trial, rows: Mapping[Row, int]) -> Members | str:
    """Return which of these rows is in which class, by making the release again."""
    each = tuple(row for row, n in rows.items() for _ in range(n))
    found = trial.memberships(each)
    if found is None:
        return "the method does not make the same release again: chance has a part in it"
    numbers = {labels: number for number, labels in enumerate(sorted(set(found.values())), 1)}
    counted = Counter((numbers.get(found.get(place, ())), row) for place, row in enumerate(each))
    placed = [(number, codes, value, n) for (number, (codes, value)), n in counted.items()]
    return Members(placed, {number: labels for labels, number in numbers.items()}, apart=False)


def unfit(job: Job, *, whole: bool) -> str | None:
    """Return why classes of a policy cannot be tried by themselves; ``whole``: whether tables can
    be tried as a whole instead."""
    policy, privacy = job.policy, job.policy.privacy
    if not policy.method.classes_by_own_rows:
        reason = "what becomes of a class depends on rows of others with this method"
    elif any(one.distribution for _, _, one in privacy.by_column()) or privacy.population:
        reason = "classes are held against the whole table"
    elif privacy.kept != KeptLimits() or privacy.risk.limits:
        reason = "the promise is about all classes together"
    else:
        return None
    return f"{reason}, and `--trials` says how many releases of it may be made" if whole else reason


@dataclass(frozen=True)
class ByClass:
    """Looks at classes one by one: about ``attempts`` rows of them, and by at most so many trials
    of whole tables, where classes cannot be tried by themselves (``trials``)."""

    job: Job
    trial: Trial
    members: Members
    attempts: int
    trials: int
    random: np.random.Generator

    def secrets(self) -> Remaining | str:
        """Return which secrets remain possible for people that are known."""
        return self._remaining(lambda _, truth, most: secrets_of(truth, most, self.random))

    def values(self, meanings: Sequence[Mapping[int, Likely]]) -> Remaining | str:
        """Return which values remain possible of rows that nobody knows, by what labels may stand
        for, column by column (``meanings``)."""
        labels = self.members.labels

        def of(number: int, truth: Counter[Row], most: int) -> Suspected:
            leaves = [column[one] for column, one in zip(meanings, labels[number], strict=True)]
            return values_of(truth, leaves, most, self.random)

        return self._remaining(of)

    def _remaining(self, of: Callable[[int, Counter[Row], int], Suspected]) -> Remaining | str:
        """Return what remains of the hypotheses ``of`` classes (their number, their rows, and how
        many are tried at most)."""
        reason = unfit(self.job, whole=True)
        if reason is None and self.members.apart:
            return self._by_themselves(of)
        if reason is not None and not self.trials:
            return reason
        if not self.trial.makes([self.members.rows]):
            return "the method does not make the same release again: chance has a part in it"
        return Remaining(list(self._one_by_one(of)), "who knows all other rows")

    def _drawn(self) -> Iterator[tuple[int, Counter[Row]]]:
        """Yield classes in random order."""
        classes = self.members.classes
        for number in self.random.permutation(sorted(classes)).tolist():
            yield number, classes[number]

    def _by_themselves(self, of: Callable[[int, Counter[Row], int], Suspected]) -> Remaining | str:
        """Try the hypotheses of classes side by side in one release."""
        if self.members.suppressed:
            return "rows were suppressed, and classes are tried beside all rows"
        source = self.members.rows
        size, looked_at = len(source), 0
        suspects: list[tuple[int, Suspected]] = []
        for number, truth in self._drawn():
            if any(code < 1 for codes, _ in truth for code in codes):
                continue  # NULL: labels of it cannot be compared
            suspected = of(number, truth, MOST_OF_CLASS)
            size += suspected.rows * (len(suspected.tried) + 1)
            if looked_at >= self.attempts or size > MOST_ROWS:
                break
            looked_at += suspected.rows
            suspects.append((number, suspected))
        if not suspects:
            return f"all classes have NULL, or a trial would have more than {MOST_ROWS:,} rows"
        parts, truths = list[Rows](), list[int]()
        for _, suspected in suspects:
            own = len(parts)
            parts += [_elements(suspected.truth), *suspected.tried]
            truths += [own] * (len(suspected.tried) + 1)
        made = self.trial.parts(source, parts, truths)
        if made is None:
            return "the method makes no release of classes by themselves"
        kept, found, own = set(made.tolist()), list[tuple[int, Suspected, list[Rows]]](), 0
        for number, suspected in suspects:
            if own not in kept:
                return "the method does not make the same classes again"
            left = [rows for place, rows in enumerate(suspected.tried, own + 1) if place in kept]
            found.append((number, suspected, left))
            own += len(suspected.tried) + 1
        return Remaining(found, "everybody")

    def _one_by_one(
        self, of: Callable[[int, Counter[Row], int], Suspected]
    ) -> Iterator[tuple[int, Suspected, list[Rows]]]:
        """Try the hypotheses of classes, each by a release of the whole table with all other rows
        as they are, until there are no trials left."""
        left, rows = self.trials, Counter(self.members.rows)
        for number, truth in self._drawn():
            if left < 1:
                return
            suspected = of(number, truth, min(MOST_ALONE, left))
            own = _elements(truth)
            left -= sum(one != own for one in suspected.tried)
            others = tuple((rows - truth).elements())
            yield (
                number,
                suspected,
                [one for one in suspected.tried if one == own or self.trial.makes([others + one])],
            )


def guessed_secrets(remaining: Remaining, sides: Sides, secret: Facet) -> Outcome:
    """Return how well secrets of people are guessed by what remains, beside their classes alone."""
    total = Judged()
    for _, suspected, rows in remaining.found:
        prior = Counter[int]()
        for (_, value), n in suspected.truth.items():
            prior[value] += n
        total += judge(suspected, rows, prior, lambda row: row[0], lambda row: row[1])
    return _outcome([facet.name for facet in sides.labels], secret.name, total)


def guessed_values(
    remaining: Remaining, members: Members, sides: Sides, meanings: Sequence[Mapping[int, Likely]]
) -> Iterator[Outcome]:
    """Yield how well values that labels stand for are guessed by what remains, column by column,
    beside how frequent they are in the release."""
    for place, facet in enumerate(sides.labels):
        total = Judged()
        for number, suspected, rows in remaining.found:
            prior = meanings[place][members.labels[number][place]]
            if len(prior) > 1:
                total += judge(suspected, rows, prior, _secret, lambda row: row[0][place])  # noqa: B023
        if total.rows:
            yield _outcome([], facet.name, total)


def meanings_of(sides: Sides, members: Members) -> list[Mapping[int, Likely]]:
    """Return, column by column, the values that each label of a class may stand for, and how
    frequent these are in the release."""
    meanings: list[Mapping[int, Likely]] = []
    for place, facet in enumerate(sides.labels):
        asked = sorted({numbers[place] for numbers in members.labels.values()})
        sides.load("attacked_asked", {"label": np.array(asked, np.int64)})
        column: dict[int, dict[int, float]] = {label: {} for label in asked}
        for label, code, n in sides.engine.query("attacks/meanings", facet=facet.number):
            column[int(label)][int(code)] = float(n)
        meanings.append(column)
    return meanings


def _secret(row: Row) -> int:
    return row[1]


def _elements(rows: Counter[Row]) -> Rows:
    return tuple(sorted(chain.from_iterable([row] * n for row, n in rows.items())))


def _outcome(known: Sequence[str], guessed: str, judged: Judged) -> Outcome:
    return Outcome(
        known,
        Counted(judged.rows, round(judged.right)),
        Counted(judged.rows, round(judged.before)),
        [guessed],
        judged.certain,
    )
