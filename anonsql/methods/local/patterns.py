"""Patterns of sensitive attributes (Li, He, Sun 2019, Definition 7): rows of one pattern have the
same quasi-identifying attributes.

The table ``marked`` has the source's rows with marks for withheld entries. A row's *pattern* is an
integer whose bit b says that the b-th semi-sensitive attribute is sensitive to it. The rows of a
group share one pattern, so a pattern of fewer than k rows cannot form a group. It is *widened*: one
or more further attributes are treated as sensitive in all its rows, until it equals a pattern that
enough rows have. But an entry that is withheld for this reason is no secret: an attacker who knows
the person knows it. In a bucket it would reveal the person's row, and leave fewer possible values
to the other rows of the bucket. So where a group has a row whose entry was withheld by widening,
the attribute is *hidden* in the whole group: released as ``*``, and in no bucket.

Where no pattern that withholds at least as much has k rows, and all small patterns together have
fewer, patterns with rows to spare *lend* the missing ones: further entries of the lent rows are
treated as sensitive, and hidden. The lent rows are drawn at random from meaningless positions, so
the choice reveals nothing of their values; and the lenders keep k rows. Only where none can spare
enough, a whole pattern is widened. So no row is suppressed because more is sensitive to its person
than to others.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonsql.engines.base import Column, Engine, Relation
from anonsql.errors import PolicyError, Problem, SqlError
from anonsql.policy.conditions import Condition
from anonsql.policy.table_plan import TablePlan
from anonsql.star.cells import Star
from anonsql.star.coded import Coded
from anonsql.system.arrays import IntArray, np

MOST = 52
"""Greatest number of semi-sensitive columns: the bits of an integer that is exact on every
engine."""


_TARGETS = 1 << 12
"""About how many patterns are tried for lent rows."""


@dataclass(frozen=True)
class Marks:
    """How rows are marked: their ``attributes``, quasi-identifying and semi-sensitive; the
    ``conditions``, by index, under which the latter are sensitive; the columns ``kept`` as they
    are; and the ``bucketized`` ones, whose sensitive values go into buckets, with indices that
    continue those of the attributes."""

    attributes: Sequence[Any]
    conditions: Mapping[int, Condition]
    kept: Sequence[Column]
    bucketized: Sequence[Coded]

    @property
    def semi(self) -> list[Any]:
        """The semi-sensitive attributes, in the order of a pattern's bits."""
        return [attribute for attribute in self.attributes if attribute.index in self.conditions]

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the templates of ``patterns``."""
        own = {value.name: value.index for value in self.semi}
        withheld = {column.index: own.get(column.name, 0) for column in self.bucketized}
        columns = {
            "attributes": self.attributes,
            "semi": self.semi,
            "kept": self.kept,
            "bucketized": self.bucketized,
        }
        return {**columns, "conditions": self.conditions, "withheld": withheld}


@dataclass(frozen=True)
class Widened:
    """The result of widening: ``rows`` are suppressed; by name of each semi-sensitive column, the
    released entries that are ``widened``, withheld only because their pattern was widened, and the
    entries of the source for which it is ``unknown`` whether they are sensitive."""

    rows: int = 0
    widened: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)


def problems(policy: TablePlan, columns: Sequence[Column]) -> list[Problem]:
    """Return problems of flags that are not boolean, and of more columns than bits."""
    flags = {column.flag for column in policy.columns.values() if column.flag is not None}
    result = [
        Problem(
            f"columns.{column.name}",
            f"it is {column.family}, and a flag must be boolean.",
            "Use `sensitive_when` with a condition on it.",
        )
        for column in columns
        if column.name in flags and column.kind != "boolean"
    ]
    if len(policy.conditions) > MOST:
        text = f"{len(policy.conditions)} columns are semi-sensitive, and the limit is {MOST}."
        result.append(Problem("columns", text, "Make some of them sensitive or quasi-identifying."))
    return result


def mark(engine: Engine, source: Relation, marks: Marks) -> None:
    """Make ``marked`` and ``combinations`` from one scan of the source."""
    try:
        engine.run("methods/local/patterns/marked", source=source, **marks.parameters)
    except SqlError:
        _require_sensible(engine, source, marks)
        raise
    engine.run("methods/local/patterns/combinations", **marks.parameters)


def _require_sensible(engine: Engine, source: Relation, marks: Marks) -> None:
    for value in marks.semi:
        try:
            engine.query(
                "methods/local/patterns/tried", source=source, asked=marks.conditions[value.index]
            )
        except SqlError as error:
            text = f"the source does not accept this condition: {str(error).splitlines()[0]}"
            raise PolicyError.at(
                f"columns.{value.name}.sensitive_when",
                text,
                "Compare columns with values of their own type.",
            ) from None


def totals(engine: Engine, marks: Marks) -> tuple[int, int, list[int]]:
    """Return the number of rows, that of distinct combinations, and for each attribute the number
    of rows in which it is NULL and not withheld."""
    rows, combinations, *nulls = engine.query("methods/local/patterns/totals", **marks.parameters)[
        0
    ]
    return rows, combinations, nulls


def settle(engine: Engine, marks: Marks, k: int) -> Widened:
    """Widen the patterns, and lend rows where that is not enough. Make ``patterns`` (pattern, lent:
    1 for its lent rows, else 0, part: the number of the final pattern, f<index>: 1 where that
    withholds an attribute), without suppressed ones."""
    patterns, rows = engine.numbers("methods/local/patterns/counts")
    counts = dict(zip(patterns.tolist(), rows.tolist(), strict=True))
    final, loans = settled(counts, k)
    if loans:
        _lend(engine, marks, counts, loans)
    moves = [
        (number, 0, final[number], counts[number] - loans.get(number, (0, 0))[0])
        for number in final
    ]
    moves += [(number, 1, target, rows_lent) for number, (rows_lent, target) in loans.items()]
    pattern, lent, became, held = (
        np.array([row[position] for row in moves], dtype=np.int64) for position in range(4)
    )
    parts = np.unique(became, return_inverse=True)[1] + 1
    columns: dict[str, IntArray] = {
        "pattern": pattern,
        "lent": lent,
        "part": parts.astype(np.int64),
    }
    widened = {}
    for bit, value in enumerate(marks.semi):
        before, after = (pattern >> bit) & 1, (became >> bit) & 1
        columns[f"f{value.index}"] = after
        widened[value.name] = int(held[after > before].sum())
    engine.load_numbers("patterns", columns)
    unknown = (
        engine.query("methods/local/patterns/unknown", **marks.parameters)[0] if marks.semi else ()
    )
    named = dict(zip([column.name for column in marks.semi], unknown, strict=True))
    suppressed = sum(rows for value, rows in counts.items() if value not in final)
    return Widened(suppressed, widened, named)


def _lend(
    engine: Engine,
    marks: Marks,
    counts: Mapping[int, int],
    loans: Mapping[int, tuple[int, int]],
) -> None:
    """Draw the rows that are lent, note them in ``marked``, and count ``combinations`` again."""
    random = secrets.SystemRandom()
    drawn = [
        (pattern, position + 1)
        for pattern, (lent, _) in loans.items()
        for position in random.sample(range(counts[pattern]), lent)
    ]
    pattern, position = (
        np.array([row[result] for row in drawn], dtype=np.int64) for result in range(2)
    )
    loaned = {"pattern": pattern, "position": position, "lent": np.ones(len(drawn), np.int64)}
    engine.load_numbers("loans", loaned)
    columns = [column.name for column in engine.columns(("marked",)) if column.name != "lent"]
    engine.run("methods/local/patterns/lent", columns=columns, **marks.parameters)
    engine.drop("loans", "marked", "combinations")
    engine.run("methods/local/patterns/kept_lent")
    engine.drop("lent_rows")
    engine.run("methods/local/patterns/combinations", **marks.parameters)


def lost_rows(engine: Engine, k: int) -> int:
    """Return how many rows have patterns that cannot be widened to ``k`` rows."""
    counts = {
        int(pattern): int(rows)
        for pattern, rows in zip(*engine.numbers("methods/local/patterns/counts"), strict=True)
    }
    kept, _ = settled(counts, k)
    return sum(rows for pattern, rows in counts.items() if pattern not in kept)


def count_own_values(engine: Engine, marks: Marks, column: Coded) -> None:
    """Make withheld_<index>: a bucketized column's values where they are sensitive."""
    withheld = marks.parameters["withheld"][column.index]
    into = f"withheld_{column.index}"
    engine.run(
        "methods/local/buckets/counted",
        table="marked",
        index=column.index,
        of=withheld or 0,
        into=into,
    )


def build(engine: Engine, marks: Marks, rows: int) -> Star:
    """Code the combinations into ``cells``, with what grouping needs of a star schema."""
    engine.run("methods/local/patterns/cells", **marks.parameters)
    engine.drop("combinations")
    return Star(tuple(marks.attributes), rows, {}, {}, {}, 0)


def columns(marks: Marks) -> tuple[list[str], list[str]]:
    """Return the columns of ``cells`` besides attributes' codes: whole numbers, and counts."""
    return ["part", *(f"h{value.index}" for value in marks.semi)], ["n"]


def settled(counts: Mapping[int, int], k: int) -> tuple[dict[int, int], dict[int, tuple[int, int]]]:
    """Return what each pattern becomes, and the loans, as pattern -> (rows, the pattern that these
    become), from the number of rows of each pattern. A pattern is suppressed only where all rows
    together are fewer than ``k``."""
    final = widen(counts, k)
    sizes: dict[int, int] = {}
    for pattern, became in final.items():
        sizes[became] = sizes.get(became, 0) + counts[pattern]
    small = {number for number, rows in sizes.items() if rows < k}
    loans: dict[int, tuple[int, int]] = {}
    for stuck in small:  # at most one: two would have merged
        others = {pattern: became for pattern, became in final.items() if became != stuck}
        if not others:
            return {}, {}
        target, loans = _loans(counts, others, sizes, stuck, k)
        joined = {stuck}
        if not loans:
            cells = {
                other: sizes[other] * (stuck & ~other).bit_count() for other in others.values()
            }
            whole = min(cells, key=lambda cell: (cells[cell], sizes[cell], cell))
            target, joined = stuck | whole, {stuck, whole}
        final |= {pattern: target for pattern, became in final.items() if became in joined}
    return final, loans


def _loans(
    counts: Mapping[int, int],
    others: Mapping[int, int],
    sizes: Mapping[int, int],
    stuck: int,
    k: int,
) -> tuple[int, dict[int, tuple[int, int]]]:
    """Return what a pattern of too few rows becomes, and which patterns lend it the missing rows,
    with the fewest entries widened; no loans where none can spare enough. ``others`` maps the other
    patterns to what they became, ``sizes`` has the number of rows of each pattern after that."""
    able = [other for other in others if sizes[others[other]] > k]
    targets, every = {stuck | number for number in able}, stuck
    for number in able:
        every |= number
        if len(targets) < _TARGETS:
            targets |= {target | number for target in targets}
    best: tuple[int, int, dict[int, tuple[int, int]]] | None = None
    for target in sorted(targets | {every}):
        missing, cells = k - sizes[stuck], sizes[stuck] * (target & ~stuck).bit_count()
        spare = {became: sizes[became] - k for became in others.values()}
        loans: dict[int, tuple[int, int]] = {}
        lenders = [number for number in able if number | target == target]
        for lender in sorted(
            lenders, key=lambda lender: ((target & ~lender).bit_count(), -counts[lender], lender)
        ):
            lent = min(missing, spare[others[lender]], counts[lender])
            if lent > 0:
                loans[lender] = (lent, target)
                spare[others[lender]] -= lent
                missing -= lent
                cells += lent * (target & ~lender).bit_count()
        if not missing and (best is None or cells < best[0]):
            best = cells, target, loans
    return (stuck, {}) if best is None else best[1:]


def widen(counts: Mapping[int, int], k: int) -> dict[int, int]:
    """Return what each pattern becomes by widening alone, from its number of rows. Every result has
    at least ``k`` rows, except one at most.

    Greedy: the smallest pattern that withholds least is widened first, to one with which it has k
    rows, at the fewest widened entries. Where one step cannot achieve that, it merges with another
    small pattern into the union of what both withhold, again at the fewest entries. A pattern that
    has k rows is never widened.
    """
    now: dict[int, int] = dict(counts)
    parent: dict[int, int] = {}
    stuck: set[int] = set()
    while small := [number for number, rows in now.items() if rows < k and number not in stuck]:
        first = min(small, key=lambda number: (number.bit_count(), now[number], number))
        pair = _move(first, now, k)
        if pair is None:
            stuck.add(first)
            continue
        target = _last(pair[0], parent)
        for number in set(pair[1]) - {target}:
            now[target] = now.get(target, 0) + now.pop(number)
            parent[number] = target
        stuck.clear()
    return {pattern: _last(pattern, parent) for pattern in counts}


def _last(pattern: int, parent: Mapping[int, int]) -> int:
    while pattern in parent:
        pattern = parent[pattern]
    return pattern


def _move(pattern: int, now: Mapping[int, int], k: int) -> tuple[int, list[int]] | None:
    """Return the widened form of a small pattern: (target, the patterns that become it); None where
    there is no way."""
    others, rows = np.fromiter(now.keys(), np.int64), np.fromiter(now.values(), np.int64)
    target = others | pattern
    can = (others != pattern) & ((rows < k) | (target == others))
    if not can.any():
        return None
    others, rows, target = others[can], rows[can], target[can]
    before = np.array([now.get(value, 0) for value in target.tolist()], dtype=np.int64)
    reached = now[pattern] + before + np.where(target == others, 0, rows)
    added = (
        np.bitwise_count(target ^ pattern).astype(np.int64),
        np.bitwise_count(target ^ others).astype(np.int64),
    )
    cells = added[0] * now[pattern] + added[1] * rows
    best = np.lexsort((target, -reached, cells, reached < k))[0]
    goal = int(target[best])
    return goal, [number for number in (pattern, int(others[best])) if number != goal]
