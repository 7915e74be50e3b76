"""Example tables that others published with what is hidden in them, as grids: figures alone.

A grid has a line of labels of the last dimension, and lines of the labels of the others with the
cells: ``u`` marks a primary cell, ``x`` a secondary one (as sdcTable does), ``-`` one that is not
shown; ``*`` is the total.

Sources, all read in November 2026:

- GaussSuppression (Statistics Norway), vignettes "Small count frequency table suppression" (tables 4
  and 8), "Magnitude table suppression" (tables 1, 2, 3, 7, 10) and "Linked table suppression"
  (table 3), and the examples of ``?SuppressSmallCounts`` and ``?SuppressDominantCells``.
- easySdcTable (Statistics Norway), vignette "The problem of singletons and zeros": data1a and data1b.
- sdcTable 0.34, data set ``microdata1`` and the examples of ``?primarySuppression``.
- tau-Argus, ``data/cellkey/Frequency/tau_testW_ptable.txt``; ptable 1.0.0, vignette "Introduction to
  the ptable-Package".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from .support import make_table

GEO = {"EU": ["Portugal", "Spain"], "nonEU": ["Iceland"]}
SECTOR = {"private": ["Agriculture", "Entertainment", "Industry"], "public": ["Governmental"]}


def grid(text: str) -> dict[tuple[str, ...], tuple[int, str]]:
    """Return the cells of a grid by their labels: the value in units of its last digit, and the
    mark."""
    header, *lines = [line.split() for line in text.strip().splitlines()]
    cells = {}
    for line in lines:
        labels, entries = line[: -len(header)], line[-len(header) :]
        for label, entry in zip(header, entries, strict=True):
            value = entry.rstrip("ux").replace(".", "")
            if value not in ("-", "0", "00"):  # nobody is in it: it is no row of a release
                cells[*labels, label] = int(value), entry[len(entry.rstrip("ux")) :]
    return cells


Row = tuple[Any, ...]
"""Who, the leaf of every dimension, the amount in tenths."""
Tree = Mapping[str, Sequence[str]]
"""The leaves by the label of level 1; nothing without a hierarchy."""


@dataclass(frozen=True)
class Example:
    """A published example: the ``trees`` of its dimensions, its ``tables`` (the finest level of
    each dimension, and the grid), the rules, and the rows. Secondary cells cost ``factor`` times at
    most what those of the grids do: more than once where hidden counts must seem to reach the
    threshold here, which theirs need not; None where grids do not have them."""

    trees: Mapping[str, Tree]
    tables: Sequence[tuple[Mapping[str, int], str]]
    protect: Mapping[str, Any]
    rows: Sequence[Row]
    of: str = "n"
    factor: float | None = None


def policy_of(folder: Path, example: Example) -> dict[str, Any]:
    """The policy of an example; its rows are in a table beside it."""
    names = list(example.trees)
    columns = {"who": "VARCHAR", **dict.fromkeys(names, "VARCHAR"), "amount": "DECIMAL(9,1)"}
    rows = [(who, *leaves, Decimal(amount) / 10) for who, *leaves, amount in example.rows]
    make_table(folder / "source.duckdb", columns, rows)
    by = {
        name: {"hierarchy": {"type": "taxonomy", "tree": tree}} if tree else {}
        for name, tree in example.trees.items()
    }
    tables = [
        {"by": [*levels], "levels": {name: level for name, level in levels.items() if level}}
        for levels, _ in example.tables
    ]
    of = {"n": "count"} if example.of == "n" else {"value": {"sum": "amount"}}
    cost = "people" if example.of == "n" else "value"
    return {
        "source": {"database": str(folder / "source.duckdb"), "table": "t"},
        "statistics": {"by": by, "of": of, "tables": tables},
        "protect": {"entity": "who", "cost": cost, **example.protect},
        "release": {"database": str(folder / "release.duckdb")},
    }


def people(counts: Iterable[Row]) -> list[Row]:
    """Return a row for everybody who is counted: the last entry of each of ``counts``."""
    cells = (leaves for *leaves, count in counts for _ in range(count))
    return [(who, *leaves, 1) for who, leaves in enumerate(cells)]


def counted(text: str, parents: Iterable[str] = ()) -> list[Row]:
    """Return the people of the finest cells of a grid."""
    above = {"*", *parents}
    return people(
        (*labels, count) for labels, (count, _) in grid(text).items() if not above & {*labels}
    )


SMALL_COUNTS = """
        Iceland Portugal Spain nonEU EU  *
young   2u      0        5x    2u    5x  7
old     3u      4u       6     3u    10x 13
*       5       4u       11x   5     15  20
"""
ACCIDENTS = """
   light none serious unknown *
k1 0     0    4x      0       4x
k2 0     1u   5x      0       6
k3 2u    1u   3u      0       6
k4 1u    4x   4       0       9
k5 0     0    1u      0       1u
k6 0     0    6       0       6
*  3u    6x   23      0       32
"""
DATA1A = """
   A  B  H  M  W *
r1 0  1u 7x 1u 0 9
r2 2u 0  0  2u 8 12
*  2u 1u 7x 3u 8 21
"""
DATA1B = """
   A  B  H  M  W *
r1 1u 1u 7x 1u 0 10
r2 1u 0  0  2u 8 11
*  2u 1u 7x 3u 8 21
"""
LINKED = (
    """
           nonEU EU *
young 2014 8     6  14
young 2015 2u    0  2u
young 2016 2u    9  11x
young *    12    15 27
old   2014 0     10 10
old   2015 0     7  7
old   *    0     17 17
*     2014 8     16 24
*     2015 2u    7  9x
*     2016 2u    9  11x
*     *    12    32 44
""",
    """
     Iceland Portugal Spain *
2014 8       1u       15x   24
2015 2u      3        4     9x
2016 2u      2u       7x    11x
*    12      6        26    44
""",
)
LINKED_ROWS = [
    ("young", "2014", "Spain", 6),
    ("young", "2014", "Iceland", 8),
    ("old", "2014", "Spain", 9),
    ("old", "2014", "Portugal", 1),
    ("young", "2015", "Iceland", 2),
    ("old", "2015", "Spain", 4),
    ("old", "2015", "Portugal", 3),
    ("young", "2016", "Spain", 7),
    ("young", "2016", "Iceland", 2),
    ("young", "2016", "Portugal", 2),
]

MAGNITUDE = {
    # sector, country: the contributions, each with its company, in tenths
    ("Agriculture", "Portugal"): "A759 B245",
    ("Agriculture", "Spain"): "A966 B432",
    ("Entertainment", "Iceland"): "B168",
    ("Entertainment", "Portugal"): "B71 D23",
    ("Entertainment", "Spain"): "A774 B115 C164",
    ("Governmental", "Portugal"): "B216 D20",
    ("Governmental", "Spain"): "C65 D27",
    ("Industry", "Iceland"): "B96 C88 D19",
    ("Industry", "Portugal"): "B257 D34",
    ("Industry", "Spain"): "C84",
}
COMPANIES = [
    (entry[0], *leaves, int(entry[1:]))
    for leaves, entries in MAGNITUDE.items()
    for entry in entries.split()
]
EACH_ONE = [(who, *row[1:]) for who, row in enumerate(COMPANIES)]
FEW_CONTRIBUTORS = """
              Iceland Portugal Spain *
Agriculture   0       100.4    139.8 240.2
Entertainment 16.8u   9.4x     105.3 131.5
Governmental  0       23.6x    9.2x  32.8
Industry      20.3x   29.1x    8.4u  57.8
*             37.1    162.5    262.7 462.3
"""
DOMINANT = """
              Iceland Portugal Spain *
Agriculture   0       100.4    139.8 240.2
Entertainment 16.8u   9.4x     105.3 131.5
Governmental  0       23.6u    9.2x  32.8x
Industry      20.3x   29.1u    8.4u  57.8x
*             37.1    162.5    262.7 462.3
"""
TWO_COMPANIES = """
              Iceland Portugal Spain nonEU EU     *
Agriculture   0       100.4u   139.8u 0    240.2u 240.2u
Entertainment 16.8u   9.4u     105.3 16.8u 114.7  131.5
Governmental  0       23.6u    9.2u  0     32.8   32.8
Industry      20.3    29.1u    8.4u  20.3  37.5   57.8
private       37.1    138.9    253.5 37.1  392.4  429.5
public        0       23.6u    9.2u  0     32.8   32.8
*             37.1    162.5    262.7 37.1  425.2  462.3
"""
P_PERCENT = """
              Iceland Portugal Spain  *
Agriculture   0       100.4u   139.8u 240.2
Entertainment 16.8u   9.4u     105.3u 131.5
Governmental  0       23.6u    9.2u   32.8u
Industry      20.3u   29.1u    8.4u   57.8
private       37.1    138.9    253.5  429.5
public        0       23.6u    9.2u   32.8u
*             37.1    162.5    262.7  462.3
"""
CONTRIBUTIONS = {
    "v1": [100],
    "v2": [90, 10],
    "v3": [80, 20],
    "v4": [70, 30],
    "v5": [50, 25, 25],
    "v6": [40, 20, 20, 20],
    "v7": [25, 25, 25, 25],
}
OF_100 = [
    (who, label, 10 * amount)
    for who, (label, amount) in enumerate(
        (label, amount) for label, amounts in CONTRIBUTIONS.items() for amount in amounts
    )
]
BY_TWO = """
v1     v2     v3     v4     v5     v6    v7    *
100.0u 100.0u 100.0u 100.0u 100.0u 100.0 100.0 700.0
"""
BY_SEVEN_PERCENT = """
v1     v2     v3     v4     v5    v6    v7    *
100.0u 100.0u 100.0u 100.0u 100.0 100.0 100.0 700.0
"""
MICRODATA1 = {
    ("A", "female"): "9 11",
    ("A", "male"): "10 11 5 7 13 15 13 6 9 7 9 8 9 10 10 18 6 12",
    ("B", "female"): "10 16 12 8 18 11 8 12 14 13 7 9 14 5 13 8 10 9 7",
    ("B", "male"): "11 5 7 12 14 15 9 10 10 7 10 8 8 14",
    ("C", "female"): "10 12 11 7 12 9 9 19 9 8",
    ("C", "male"): "9 11 18 12 10 6 11 6 6 11 6 12",
    ("D", "female"): "10 6 11 16 14 9 7 6 14 10 11 9 11 18",
    ("D", "male"): "280 9 9 8 7 9 8 7 8 11 10",
}
OF_MICRODATA1 = [
    (who, *leaves, 10 * int(amount))
    for who, (leaves, amount) in enumerate(
        (leaves, amount) for leaves, amounts in MICRODATA1.items() for amount in amounts.split()
    )
]
FREQUENCIES = """
  female male *
A 2u     18   20
B 19     14   33
C 10     12   22
D 14     11   25
* 45     55   100
"""
BY_THIRTY_PERCENT = """
  female male   *
A 20.0u  178.0  198.0
B 204.0  140.0  344.0
C 106.0  118.0  224.0
D 152.0  366.0u 518.0
* 482.0  802.0  1284.0
"""
_GEO_AGE: Mapping[str, Tree] = {"age": {}, "geo": GEO}
_FLAT: Mapping[str, Tree] = {"line": {}, "kind": {}}
_SECTORS: Mapping[str, Tree] = {"sector": {}, "geo": {}}
_BY_SECTOR: Mapping[str, Tree] = {"sector": SECTOR, "geo": {}}
_BOTH: Mapping[str, Tree] = {"sector": SECTOR, "geo": GEO}
EXAMPLES = {
    "small counts, table 4": Example(
        _GEO_AGE,
        [({"age": 0, "geo": 0}, SMALL_COUNTS)],
        {"threshold": 5},
        counted(SMALL_COUNTS, GEO),
        factor=2.4,
    ),
    "accidents": Example(
        _FLAT,
        [({"line": 0, "kind": 0}, ACCIDENTS)],
        {"threshold": 4},
        counted(ACCIDENTS),
        factor=1.2,
    ),
    "singletons, data1a": Example(
        _FLAT, [({"line": 0, "kind": 0}, DATA1A)], {"threshold": 4}, counted(DATA1A), factor=2.2
    ),
    "singletons, data1b": Example(
        _FLAT,
        [({"line": 0, "kind": 0}, DATA1B)],
        {"threshold": 4},
        counted(DATA1B),
        # theirs tell of A and M in r2, which are 3 together, that they are below the threshold
        factor=2.2,
    ),
    "linked tables, table 3": Example(
        {"age": {}, "year": {}, "geo": GEO},
        [({"age": 0, "year": 0, "geo": 1}, LINKED[0]), ({"year": 0, "geo": 0}, LINKED[1])],
        {"threshold": 3},
        people(LINKED_ROWS),
        factor=1.2,
    ),
    "few contributors, table 2": Example(
        _SECTORS,
        [({"sector": 0, "geo": 0}, FEW_CONTRIBUTORS)],
        {"threshold": 2},
        EACH_ONE,
        "value",
        factor=1,
    ),
    "dominance, table 3": Example(
        _SECTORS,
        [({"sector": 0, "geo": 0}, DOMINANT)],
        {"dominance": {"n": 1, "share": 0.8}},
        EACH_ONE,
        "value",
        factor=1,
    ),
    "companies, table 7": Example(
        _BOTH, [({"sector": 0, "geo": 0}, TWO_COMPANIES)], {"threshold": 3}, COMPANIES, "value"
    ),
    "p%, table 10": Example(
        _BY_SECTOR, [({"sector": 0, "geo": 0}, P_PERCENT)], {"p_percent": 0.3}, EACH_ONE, "value"
    ),
    "two largest of 100": Example(
        {"label": {}},
        [({"label": 0}, BY_TWO)],
        {"dominance": {"n": 2, "share": 0.7}},
        OF_100,
        "value",
    ),
    "p% of 100": Example(
        {"label": {}}, [({"label": 0}, BY_SEVEN_PERCENT)], {"p_percent": 0.07}, OF_100, "value"
    ),
    "microdata1, frequencies": Example(
        {"region": {}, "gender": {}},
        [({"region": 0, "gender": 0}, FREQUENCIES)],
        {"threshold": 3},
        OF_MICRODATA1,
    ),
    "microdata1, p%": Example(
        {"region": {}, "gender": {}},
        [({"region": 0, "gender": 0}, BY_THIRTY_PERCENT)],
        {"p_percent": 0.3},
        OF_MICRODATA1,
        "value",
    ),
}

PERTURBED = {
    # of D = 7, V = 4, js = 2: by count the deviations of the first and the others, and their chances
    1: (-1, 2, "0.77507885 0.08736437 0.05075610 0.03233859 0.02259606 0.01731503 0.01455099"),
    2: (
        -2,
        1,
        "0.46627393 0.27967553 0.15331073 0.06775595 0.02414233 0.00693534 0.00160625 0.00029993",
    ),
    3: (
        -3,
        0,
        "0.25143962 0.31958229 0.22238319 0.12402883 0.05544276 0.01986408 0.00570418 0.00131287"
        " 0.00024219",
    ),
    4: (
        -4,
        -1,
        "0.11883809 0.25064715 0.25064715 0.17746362 0.10997668 0.05657338 0.02415704 0.00856240"
        " 0.00251923 0.00061526",
    ),
    5: (
        -5,
        -2,
        "0.04018279 0.17931339 0.20281178 0.20281178 0.16052465 0.10826452 0.06108219 0.02882884"
        " 0.01138213 0.00375928 0.00103865",
    ),
    6: (
        -6,
        -3,
        "0.00743520 0.09217486 0.14310711 0.18197607 0.18952727 0.16167151 0.11295348 0.06463535"
        " 0.03029319 0.01162851 0.00365601 0.00094145",
    ),
    7: (
        -7,
        -4,
        "0.00081656 0.03351982 0.07321228 0.12723927 0.17595980 0.19362473 0.16953652 0.11811927"
        " 0.06548372 0.02888690 0.01013967 0.00283205 0.00062941",
    ),
    8: (
        -5,
        -4,
        "0.00969261 0.02878341 0.06704276 0.12248129 0.17550756 0.19725596 0.17388924 0.12023295"
        " 0.06520524 0.02773638 0.00925391 0.00242164 0.00049705",
    ),
    9: (
        -6,
        -5,
        "0.00229657 0.00898164 0.02740832 0.06526189 0.12125155 0.17577833 0.19883545 0.17549823"
        " 0.12086543 0.06495041 0.02723404 0.00891031 0.00227470 0.00045311",
    ),
    10: (
        -7,
        -6,
        "0.00044232 0.00223758 0.00882073 0.02709670 0.06486564 0.12100385 0.17590164 0.19926305"
        " 0.17590164 0.12100385 0.06486564 0.02709670 0.00882073 0.00223758 0.00044232",
    ),
}
MONOTONOUS = (4, 5)
"""The counts whose chances ptable keeps from rising on the way from 0, which costs entropy."""
