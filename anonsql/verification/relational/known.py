"""What may be known of people besides their own rows, and how many people have one such thing: the
rows of a person that somebody knows, each with those that it belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from anonsql.engines.base import Engine
from anonsql.policy.relational import RelationalPolicy
from anonsql.verification.relational.layout import Laid

_AT_ONCE = 16_000_000
"""About how many things that may be known one statement counts."""
_MOST_SHARES = 64


def most_known(policy: RelationalPolicy, tables: Mapping[str, Laid]) -> int:
    """Return how many rows of a person at most are looked at together: where all are known, and
    whole trees are counted, one by one."""
    known = policy.privacy.known_rows
    if not any(table.depth for table in tables.values()):
        return 0
    return 1 if known == "all" else known


@contextmanager
def knowable(
    engine: Engine, tables: Mapping[str, Laid], copies: int, *, shapes: bool = False
) -> Iterator[None]:
    """Have the table ``knowable`` of all rows that may be known; of those of one person that
    nothing tells apart, not more than so many ``copies``. With ``shapes`` the trees below them are
    known, too."""
    engine.run(
        "sql/table",
        name="knowable",
        select="verification/relational/knowable",
        below=[table for table in tables.values() if table.depth],
        tables=len(tables) + 1,
        known_rows=copies,
        shapes=shapes,
        depth=depth_of(tables),
    )
    yield
    engine.drop("knowable")


def depth_of(tables: Mapping[str, Laid]) -> int:
    """Return how many references lead to people from the table that is farthest from them."""
    return max(table.depth for table in tables.values())


def keys(rows: int) -> list[str]:
    """Return the columns that name what is known with some rows: see
    ``verification/relational/macros``."""
    names = ["own", *(f"kind{one}" for one in range(1, rows + 1))]
    return names + [f"common{one}_{two}" for one in range(1, rows + 1) for two in range(1, one)]


def shares(engine: Engine, rows: int) -> Iterator[dict[str, int]]:
    """Yield the shares of what may be known with some rows that fit into memory, as statements take
    them. Needs ``knowable`` for more than no rows."""
    amount = engine.query("verification/relational/amounts")[0][rows - 1] if rows else None
    count = max(1, min(-(-int(amount or 0) // _AT_ONCE), _MOST_SHARES))
    for share in range(count):
        yield {"shares": count, "share": share}


def recounted(
    engine: Engine, policy: RelationalPolicy, tables: Mapping[str, Laid]
) -> tuple[int, int, list[str]]:
    """Return how many things may be known, how few people have one of them, and the offences."""
    k, most = policy.privacy.k, most_known(policy, tables)
    parameters: dict[str, Any] = {"k": k, "depth": depth_of(tables)}
    counted = [_people(engine, 0, **parameters)]
    if most:
        with knowable(engine, tables, most):
            counted += [_people(engine, rows, **parameters) for rows in range(1, most + 1)]
    if policy.privacy.known_rows == "all":
        counted.append(engine.query("verification/relational/whole", k=k)[0])
    total, fewest, offences = 0, -1, list[str]()
    for rows, (things, rare, least) in enumerate(counted):
        total += things
        if least is not None:
            fewest = least if fewest < 0 else min(fewest, least)
        if rare:
            what = "whole trees" if rows > most else f"combinations with {rows} known rows"
            offences.append(f"{rare:,} {what} belong to fewer than k={k} people, one to {least:,}")
    return total, max(fewest, 0), offences


def _people(engine: Engine, rows: int, **given: Any) -> tuple[int, int, int | None]:
    """Return how many things may be known with some rows, those of fewer than k people, and the
    fewest people that one has."""
    results = [
        engine.query("verification/relational/known", rows=rows, keys=keys(rows), **given, **share)
        for share in shares(engine, rows)
    ]
    things, rare, least = zip(*(row[0] for row in results), strict=True)
    return (
        sum(things),
        sum(rare),
        min((value for value in least if value is not None), default=None),
    )
