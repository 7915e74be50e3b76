"""Verification of changed values against their source: the secret and the keys of cells must lead
to them, computed again outside the database. Noise is looked up in the table of the run, which is
compared with the policy."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cache, partial

from anonsql.policy.protect import Protect
from anonsql.statistics import perturbation
from anonsql.statistics.cubes import TableMeasure
from anonsql.statistics.relations import Relations
from anonsql.system.arrays import BoolArray, IntArray, np
from anonsql.verification.statistics.recount import Recounted

_SECOND = Decimal("0.5")
_KEYS = 2**32
_DIGITS = 5
"""The bytes of a hash that make a number; the last four count."""


def offences(
    protect: Protect,
    measures: Sequence[TableMeasure],
    cells: Recounted,
    secret: str,
    *,
    additive: bool,
) -> list[str]:
    """Return what is wrong with changed values: values that differ from the recomputed ones, and
    cells that are hidden or shown against the threshold."""
    drawn = cache(partial(streams, cells.counted["ck"], secret))
    people = _changed(protect, None, cells, drawn)
    found = noise_offences(protect) if protect.by == "cell-key" else []
    for position, measure in enumerate(measures, start=1):
        shown, hidden = cells.counted[f"b{position}"], cells.counted[f"h{position}"] == 1
        if additive:
            found += _sums(protect, measure, cells, shown, hidden)
            continue
        few = (people > 0) & (people < (protect.threshold or 0))
        if wrong := int((hidden != few).sum()):
            found.append(
                f"{measure.name}: {wrong:,} cells are hidden or published against the rule"
            )
        expected = _changed(protect, measure, cells, drawn)
        if protect.by == "cell-key":
            expected = np.where(people == 0, 0, expected)
        if wrong := int(((shown != expected) & ~hidden).sum()):
            found.append(f"{measure.name}: {wrong:,} values differ from what their keys give")
    return found


def _changed(
    protect: Protect,
    measure: TableMeasure | None,
    cells: Recounted,
    drawn: Callable[[str], IntArray],
) -> IntArray:
    """Return the changed values of a measure (of people where none is given), by the numbers that
    are ``drawn`` for the cells by a name."""
    column = "people" if measure is None else measure.counted
    values, summed = cells.counted[column], None if measure is None else measure.sum
    what = "count" if summed is None else f"sum of {summed.column.name}"
    if protect.by == "rounding":
        return by_key(values, _base(protect, measure), drawn(f"rounded {what}")[int(column == "n")])
    settings, numbers = protect.cell_key, drawn(what)
    if summed is None:
        table = perturbation.table(settings.variance, settings.largest, least=settings.least)
        return values + table.noise(values, numbers[int(column == "n")])
    made = perturbation.factors(settings.deviation, settings.greatest, second=_SECOND)
    first, second = (cells.counted[f"{name}{summed.index}"] for name in "xy")
    return values + made.noise(first, numbers[0]) + made.noise(second, numbers[1], rank=2)


def _base(protect: Protect, measure: TableMeasure | None) -> int:
    rounding = protect.rounding
    if measure is None or measure.sum is None:
        return rounding.base
    return rounding.bases[measure.name] * measure.sum.unit


def _sums(
    protect: Protect,
    measure: TableMeasure,
    cells: Recounted,
    shown: IntArray,
    hidden: BoolArray,
) -> list[str]:
    """Return what is wrong with rounded values whose totals are stated to be the sums of their
    parts."""
    values, base = cells.counted[measure.counted], _base(protect, measure)
    far = (np.abs(shown - values) >= base) | (shown % base != 0)
    people, least = cells.counted["people"], protect.threshold or 0
    # a rounded count of people is less than a base off the true one
    nearest = protect.rounding.base
    against = hidden & (people >= least + nearest)
    against |= ~hidden & (people >= nearest) & (people <= least - nearest)
    found = []
    if wrong := int(against.sum()) if least else int(hidden.sum()):
        found.append(f"{measure.name}: {wrong:,} cells are hidden or published against the rule")
    if wrong := int((far & ~hidden).sum()):
        found.append(
            f"{measure.name}: {wrong:,} values are not one of the two multiples next to the"
            " source's value"
        )
    if not hidden.any() and not _add_up(cells.relations_of(measure), shown):
        found.append(f"{measure.name}: a total is not the sum of its parts")
    return found


def _add_up(relations: Relations, values: IntArray) -> bool:
    """Return whether wholes are the sums of their parts; or, where a person is in several parts, at
    most their sum and at least the greatest of them."""
    matrix = relations.matrix.astype(np.int64)
    for row, exact in enumerate(relations.exact.tolist()):
        entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
        cells, signs = matrix.indices[entries], matrix.data[entries]
        whole, parts = int(values[cells[signs > 0]].sum()), values[cells[signs < 0]]
        if whole > parts.sum() or whole < (parts.sum() if exact else parts.max(initial=0)):
            return False
    return True


def streams(keys: IntArray, secret: str, name: str) -> IntArray:
    """Return two numbers in [0, 2³²) for each cell's key, in two rows, as statistics/streams draws
    them; the ``secret`` is hexadecimal, the ``name`` says what is counted or summed."""
    distinct, places = np.unique(keys, return_inverse=True)
    begun = hmac.new(bytes.fromhex(secret), f"cell stream {name} ".encode(), "sha256")
    drawn = bytearray()
    for key in distinct.tolist():
        hashed = begun.copy()
        hashed.update(b"%d" % key)
        drawn += hashed.digest()[: 2 * _DIGITS]
    numbers = np.frombuffer(drawn, np.uint8).reshape(-1, 2, _DIGITS)[:, :, 1:].astype(np.int64)
    return np.asarray((numbers @ [2**24, 2**16, 2**8, 1])[places].T, np.int64)


def by_key(values: IntArray, base: int, keys: IntArray) -> IntArray:
    """Return each value as one of the two nearest multiples of a base (below 2³¹), the upper one if
    its key, of [0, 2³²), is small enough, so that its mean over keys is the value itself (to 2⁻³²
    of the base): the same as statistics/rounded. Multiples stay. Totals are rounded independently:
    parts need not sum to them."""
    rest = values % base
    return np.asarray(values - rest + base * (keys * base < rest * _KEYS), np.int64)


def noise_offences(protect: Protect) -> list[str]:
    """Return where the noise by keys breaks the policy: it must have mean 0, at least the variance,
    no more than the largest deviation, and make no count negative or too small."""
    asked = protect.cell_key
    table = perturbation.table(asked.variance, asked.largest, least=asked.least)
    wrong = table.rows[0] != ((0, _KEYS),) or len(table.rows) <= asked.largest
    for count, row in enumerate(table.rows[1:], start=1):
        moments = [sum(d**power * keys for d, keys in row) / _KEYS for power in range(3)]
        results = [count + d for d, keys in row]
        wrong |= moments[0] != 1 or abs(moments[1]) > asked.largest / 2**30
        wrong |= moments[2] < float(asked.variance) - 2**-20
        wrong |= any(abs(d) > asked.largest or keys <= 0 for d, keys in row)
        wrong |= any(result < 0 or 0 < result < asked.least for result in results)
    made = perturbation.factors(asked.deviation, asked.greatest, second=_SECOND)
    first = made.first / perturbation.MILLION
    wrong |= int(made.first.sum()) != 0 or float(np.abs(first).max()) > float(asked.greatest)
    wrong |= float(first.std()) < 0.998 * float(asked.deviation)
    return ["the noise of keys differs from the policy's"] if wrong else []
