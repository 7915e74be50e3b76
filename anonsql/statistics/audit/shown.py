"""Consistent tables as certificates: what is shown of hidden cells is believed for no other reason.

A table that fits all that is published proves that an attacker cannot rule out its cells' values,
whoever made it. Every one is checked here against the relations and bounds themselves, in whole
numbers where values are.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from anonsql.statistics.audit.system import CLOSE, Flags, Real, System, Whole
from anonsql.statistics.relations import Relations

TOLERANCE = 1e-6
"""By what share of the amounts that change in a relation a table may miss its balance, and a cell
its bound, where values are not whole numbers."""

_BATCH = 2000


class Shown:
    """Tables that are consistent with what is published, and the extremes of every cell in them.

    ``up`` and ``down`` are by how much an unknown goes up and down (both >= 0) in some table;
    ``rising`` and ``falling`` are the numbers of those tables, -1 where there is none.
    ``low`` and ``high`` are the extremes of the cells in tables that were checked.
    """

    def __init__(
        self, relations: Relations, values: Real, free: Flags, system: System, least: Real
    ) -> None:
        self.system, self.values, self.free, self.least = system, values, free, least
        self.relations = relations
        self.up, self.down = np.zeros(system.size), np.zeros(system.size)
        self.rising = np.full(system.size, -1)
        self.falling = np.full(system.size, -1)
        self.low, self.high = values.copy(), values.copy()
        self.rejected = 0
        self.tables: list[tuple[Whole, Real]] = []
        self._checked = self._indexed = 0
        self._index: dict[int, list[int]] = {}

    def add(self, unknowns: Whole, changes: Real) -> None:
        """Take a table, given by what changes in it. It counts once ``check`` has been called."""
        number = len(self.tables)
        self.tables.append((unknowns, changes))
        self._extremes(unknowns, changes, number)
        if number + 1 - self._checked >= _BATCH:
            self.check()

    def check(self) -> None:
        """Check the tables that were added since the last time, and take the extremes of those that
        hold."""
        tables = self.tables[self._checked :]
        if not tables:
            return
        changes = self._of_cells(tables)
        holds = certified(
            self.relations,
            self.values,
            self.free,
            changes,
            self.least,
            integral=self.system.integral,
        )
        good = changes[holds].tocoo()
        reached = self.values[good.col] + good.data
        np.minimum.at(self.low, good.col, reached)
        np.maximum.at(self.high, good.col, reached)
        for number in np.flatnonzero(~holds) + self._checked:
            self._withdraw(int(number))
        self._checked = len(self.tables)

    def _withdraw(self, number: int) -> None:
        self.rejected += 1
        unknowns, _ = self.tables[number]
        for extreme, witness in ((self.up, self.rising), (self.down, self.falling)):
            mine = unknowns[witness[unknowns] == number]
            extreme[mine], witness[mine] = 0, -1
        self.tables[number] = (unknowns[:0], np.zeros(0))

    def forget(self, unknowns: Whole) -> Whole:
        """Forget what tables show that change some unknowns; return what else they showed, and
        these. What other tables show is used instead."""
        self.check()
        touching = self._touching(unknowns)
        lost = [np.flatnonzero(np.isin(w, touching)) for w in (self.rising, self.falling)]
        both = np.union1d(np.union1d(*lost), unknowns)
        self.up[both], self.down[both] = 0, 0
        self.rising[both], self.falling[both] = -1, -1
        bad = set(touching.tolist())
        for number in self._touching(both).tolist():
            if number in bad:
                continue
            moved, changes = self.tables[number]
            keep = np.isin(moved, both)
            self._extremes(moved[keep], changes[keep], number)
        return both

    def remember(self, up: Real, down: Real, rising: Whole, falling: Whole) -> None:
        """Take back what was forgotten, where it is more than what has been found since."""
        for now, witness, before, old in (
            (self.up, self.rising, up, rising),
            (self.down, self.falling, down, falling),
        ):
            more = before > now
            now[more], witness[more] = before[more], old[more]

    def _touching(self, unknowns: Whole) -> Whole:
        """Return the tables that change any of some unknowns."""
        for number in range(self._indexed, len(self.tables)):
            for unknown in self.tables[number][0].tolist():
                self._index.setdefault(unknown, []).append(number)
        self._indexed = len(self.tables)
        found = {number for one in unknowns.tolist() for number in self._index.get(one, ())}
        return np.array(sorted(found), np.int64)

    def _extremes(self, unknowns: Whole, changes: Real, number: int) -> None:
        more = changes > self.up[unknowns]
        self.up[unknowns[more]], self.rising[unknowns[more]] = changes[more], number
        less = -changes > self.down[unknowns]
        self.down[unknowns[less]], self.falling[unknowns[less]] = -changes[less], number

    def _of_cells(self, tables: list[tuple[Whole, Real]]) -> csr_array:
        """Return the changes of the cells, a row a table."""
        kind = np.int64 if self.system.integral else np.float64
        data = np.concatenate([changes for _, changes in tables])
        columns = np.concatenate([unknowns for unknowns, _ in tables])
        ends = np.cumsum([0, *(len(unknowns) for unknowns, _ in tables)])
        shape = (len(tables), self.system.size)
        if self.system.integral:
            data = np.round(data)
        of_unknowns = csr_array((data.astype(kind), columns, ends), shape=shape)
        cells = np.flatnonzero(self.system.unknown >= 0)
        place = (self.system.unknown[cells], cells)
        members = csr_array(
            (self.system.sign[cells].astype(kind), place),
            shape=(self.system.size, len(self.values)),
        )
        return csr_array(of_unknowns @ members)


def certified(
    relations: Relations,
    values: Real,
    free: Flags,
    changes: csr_array,
    least: Real,
    *,
    integral: bool,
) -> Flags:
    """Return of every row of ``changes`` (a column a cell) whether the table that it makes of
    ``values`` is consistent: nothing changes but free cells, no value is below its ``least``,
    exact relations balance, and of the others the whole is at most the sum of its parts and at
    least the greatest.

    Whole numbers are counted as such and must fit exactly; others within ``TOLERANCE``.
    """
    entries = changes.tocoo()
    table, cell, change = entries.row, entries.col, entries.data
    after = values[cell] + change
    slack = 0.0 if integral else TOLERANCE
    wrong = ~free[cell] | ~np.isfinite(change)
    if integral:
        wrong |= np.abs(after) > 2**53
    wrong |= after < least[cell] - slack * np.abs(change)
    holds = np.ones(changes.shape[0], bool)
    holds[table[wrong]] = False
    matrix = csr_array(relations.matrix).astype(changes.dtype)
    exact = np.asarray(relations.exact, bool)
    balance = changes @ matrix[exact].T
    size = abs(changes) @ abs(matrix[exact]).T
    off = (abs(balance) - slack * size).tocoo()
    holds[off.row[off.data > 0]] = False
    if not exact.all():
        holds &= _others_hold(csr_array(matrix[~exact]), values, changes, slack)
    return holds


def _others_hold(matrix: csr_array, values: Real, changes: csr_array, slack: float) -> Flags:
    """Return of every table whether relations that are not exact hold in it."""
    entries = matrix.tocoo()
    whole = np.full(matrix.shape[0], -1)
    whole[entries.row[entries.data > 0]] = entries.col[entries.data > 0]
    part = entries.data < 0
    parts, wholes = entries.col[part], whole[entries.row[part]]
    holds = np.ones(changes.shape[0], bool)
    excess = (changes @ matrix.T).tocoo()  # by how much more a whole grows than its parts
    before = matrix @ values
    size = CLOSE * (abs(matrix) @ np.abs(values)) if slack else np.zeros(matrix.shape[0])
    scale = abs(changes).max(axis=1).toarray().ravel()
    allowed = size[excess.col] + slack * scale[excess.row]
    holds[excess.row[before[excess.col] + excess.data > allowed]] = False
    for start in range(0, changes.shape[0], 64):  # few at once: every pair of a whole and a part
        dense = changes[start : start + 64].toarray()
        over = values[parts] + dense[:, parts] - values[wholes] - dense[:, wholes]
        limit = size[entries.row[part]] + slack * scale[start : start + 64, None]
        holds[start : start + 64] &= ~np.any(over > limit, axis=1)
    return holds
