"""The positions of the windows of partitions: each row's released window, passed to the engine only
as positions and numbers.

A *run* is a stretch of neighbours in a ring with equal quasi-identifying values; a window is given
by its first and last run. Windows that begin in the same run and end in the same run have equal
labels, and are listed once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anonsql.methods.windows import permutations
from anonsql.methods.windows.lexicographic import Items, Parts
from anonsql.system.arrays import BoolArray, IntArray, RandomBytes

ROWS = 1 << 23
"""Rows of rings that are laid out at once; each takes some hundred bytes of memory."""


@dataclass(frozen=True)
class Layout:
    """The tables to load into the engine, column by column.

    ``members``: part, run, item (one of the run's), n (rows), the runs of a ring twice over.
    ``windows``: grp, part, first_run, last_run, start (ring position of the first window that is
    released so), n (rows). ``portions``: item, grp, first, last: which of the item's rows, counted
    from 1 in random order, are released as grp. ``rings``: part, size, length (of its windows).
    """

    members: dict[str, IntArray]
    windows: dict[str, IntArray]
    portions: dict[str, IntArray]
    rings: dict[str, IntArray]

    @property
    def tables(self) -> dict[str, dict[str, IntArray]]:
        """The tables by name."""
        return {
            "members": self.members,
            "windows": self.windows,
            "portions": self.portions,
            "rings": self.rings,
        }

    @property
    def longest(self) -> int:
        """The greatest number of runs in a window after its first run."""
        return int((self.windows["last_run"] - self.windows["first_run"]).max())


def of_wholes(items: Items, parts: Parts) -> Layout:
    """Return a layout in which every partition is one group with the values of its rows."""
    return _layout(items, parts, np.zeros(len(parts.windows), dtype=bool))


def of_rings(items: Items, parts: Parts, random: RandomBytes) -> Layout:
    """Return a layout with rings for the partitions that need one: partitions with more rows than
    the window, not all of them equal. The others are released as one group each."""
    _, members = _runs(items, parts)
    runs = np.bincount(members["part"], minlength=len(parts.windows))
    return _layout(items, parts, (parts.sizes > parts.windows) & (runs > 1), random)


def _layout(
    items: Items, parts: Parts, is_ring: BoolArray, random: RandomBytes = os.urandom
) -> Layout:
    sizes = parts.sizes
    run, members = _runs(items, parts)
    whole, inside = np.flatnonzero(~is_ring), is_ring[parts.part]
    last = np.flatnonzero(np.append(members["part"][1:] != members["part"][:-1], True))
    zeros = np.zeros(len(whole), dtype=np.int64)
    windows = {
        "part": whole,
        "first_run": zeros,
        "last_run": members["run"][last[whole]],
        "start": zeros,
        "n": sizes[whole],
    }
    groups = (np.cumsum(~is_ring) - 1)[parts.part[~inside]]
    layouts, made = [windows], [(parts.item[~inside], groups, parts.n[~inside])]
    before, runs = len(whole), np.diff(last, prepend=-1)
    for some in _batches(is_ring, sizes):
        rings = _Rings.of(parts, some[parts.part], run, runs, random)
        segment, released, count = rings.released(
            permutations.assign(sizes[some], parts.windows[some], random)
        )
        layouts.append(rings.windows())
        made.append((parts.item[segment], released + before, count))
        before += len(layouts[-1]["part"])
    windows = {name: np.concatenate([layout[name] for layout in layouts]) for name in windows}
    item, grp, n = (np.concatenate(column) for column in zip(*made, strict=True))
    windows = {"grp": np.arange(len(windows["part"])), **windows}
    window = np.where(is_ring, parts.windows, sizes)
    members = _twice(members, is_ring)
    return Layout(
        members,
        windows,
        _portions(item, grp, n),
        {"part": np.arange(len(sizes)), "size": sizes, "length": window},
    )


def _batches(is_ring: BoolArray, sizes: IntArray) -> Iterator[BoolArray]:
    rings = np.flatnonzero(is_ring)
    if len(rings):
        number = np.cumsum(sizes[rings]) // ROWS
        for some in np.split(rings, np.flatnonzero(np.diff(number)) + 1):
            chosen = np.zeros(len(sizes), dtype=bool)
            chosen[some] = True
            yield chosen


@dataclass(frozen=True)
class _Rings:
    """Every row of every ring: its segment, part and position, where its ring begins among these
    arrays and its size; and the first and last run of the window that begins at it."""

    segment: IntArray
    part: IntArray
    place: IntArray
    first: IntArray
    size: IntArray
    first_run: IntArray
    last_run: IntArray

    @classmethod
    def of(
        cls, parts: Parts, inside: BoolArray, run: IntArray, runs: IntArray, random: RandomBytes
    ) -> _Rings:
        """Return the rings of the segments ``inside``; ``run`` of each segment, ``runs`` of each
        part. Rows of one run take random positions in it: where they differ in sensitive values, an
        order by these would reveal which of them a window contains."""
        segment = np.repeat(np.flatnonzero(inside), parts.n[inside])
        part = parts.part[segment]
        if np.any((np.diff(run[segment]) == 0) & (np.diff(part) == 0) & (np.diff(segment) > 0)):
            lot = np.frombuffer(random(8 * len(segment)), np.uint64)
            segment = segment[np.lexsort((lot, run[segment], part))]
        size = parts.sizes[part]
        first = np.searchsorted(part, part)
        rings = np.arange(len(part)) - first
        end = rings + parts.windows[part] - 1
        last_run = run[segment[first + end % size]] + np.where(end >= size, runs[part], 0)
        return cls(segment, part, rings, first, size, run[segment], last_run)

    @property
    def _begins(self) -> BoolArray:
        """Return whether the window that begins at each row differs from that of the row before."""
        begins = np.ones(len(self.part), dtype=bool)
        for column in (self.part, self.first_run, self.last_run):
            begins[1:] &= column[1:] == column[:-1]
        begins[1:] = ~begins[1:]
        return begins

    def windows(self) -> dict[str, IntArray]:
        at = np.flatnonzero(self._begins)
        n = np.diff(np.append(at, len(self.part)))
        return {
            "part": self.part[at],
            "first_run": self.first_run[at],
            "last_run": self.last_run[at],
            "start": self.place[at],
            "n": n,
        }

    def released(self, offset: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Return segments, windows and numbers of rows, from the offset of every row."""
        number = np.cumsum(self._begins) - 1
        window = number[self.first + (self.place - offset) % self.size]
        pair, count = np.unique(self.segment * (number[-1] + 1) + window, return_counts=True)
        return pair // (number[-1] + 1), pair % (number[-1] + 1), count


def _runs(items: Items, parts: Parts) -> tuple[IntArray, dict[str, IntArray]]:
    """Return the run of each segment, from 0 in its part, and the runs as ``members``."""
    cell = np.cumsum(items.depths > 0)[parts.item]
    begins = np.ones(len(cell), dtype=bool)
    begins[1:] = (cell[1:] != cell[:-1]) | (parts.part[1:] != parts.part[:-1])
    number = np.cumsum(begins) - 1
    run = number - number[np.searchsorted(parts.part, parts.part)]
    n = np.add.reduceat(parts.n, np.flatnonzero(begins))
    return run, {
        "part": parts.part[begins],
        "run": run[begins],
        "item": parts.item[begins] + 1,
        "n": n,
    }


def _twice(members: dict[str, IntArray], is_ring: BoolArray) -> dict[str, IntArray]:
    runs = np.bincount(members["part"])
    again = is_ring[members["part"]]
    more = {name: column[again] for name, column in members.items()}
    more["run"] = more["run"] + runs[more["part"]]
    return {name: np.concatenate([column, more[name]]) for name, column in members.items()}


def _portions(item: IntArray, grp: IntArray, n: IntArray) -> dict[str, IntArray]:
    """Return which rows of each item (the engine counts from 1) are released as which window."""
    order = np.lexsort((grp, item))
    item, grp, n = item[order], grp[order], n[order]
    before = np.cumsum(n) - n
    first = before - before[np.searchsorted(item, item)] + 1
    return {"item": item + 1, "grp": grp, "first": first, "last": first + n - 1}
