"""Record keys: of every entity a number that nobody without the secret can tell, the same in every
table, on every engine and in every run. A cell's key is their sum modulo 2³².

The secret is that of :mod:`anonsql.over_time.ledger`: it comes to an engine as data, and so does
what is made of it. Whoever has it can take the noise off; another secret is other noise, and the
mean of many such releases is the truth: it must stay what it is as long as anything is published.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from anonsql.engines.base import Engine, OfColumn, Relation
from anonsql.over_time.ledger import load_key
from anonsql.statistics.perturbation import KEYS
from anonsql.system.arrays import IntArray, np

STREAMS = "cell_streams"
"""The scratch table of streams: one row, of each stream s the columns a<s> and b<s>."""
RECORD_KEYS = "record_keys"
"""The scratch table of record keys: e, the entity, and rk, its key."""


def streams(secret: str, names: Sequence[str]) -> list[tuple[int, int]]:
    """Return of every name what makes of a cell's key another one, as if drawn anew: that is
    (a · key + b) mod 2³², where a is odd and below 2³¹. The ``secret`` is in hexadecimal digits. A
    name stands for the same stream everywhere: it should say what is counted or summed ("people",
    "sum of cost"), not in which table."""
    result = []
    for name in names:
        text = f"cell stream {name}".encode()
        digest = hmac.digest(bytes.fromhex(secret), text, hashlib.sha256)
        a = int.from_bytes(digest[:4]) >> 1 | 1
        result.append((a, int.from_bytes(digest[4:8])))
    return result


def stream(keys: IntArray, secret: str, name: str) -> IntArray:
    """Return what a stream makes of cells' keys."""
    ((a, b),) = streams(secret, [name])
    return np.asarray((keys * a + b) % KEYS, np.int64)


def load_keys(engine: Engine, secret: str, names: Sequence[str]) -> None:
    """Make the scratch table :data:`STREAMS` of names, numbered from 0, and that of the secret."""
    load_key(engine, secret)
    columns: dict[str, IntArray] = {}
    for number, (a, b) in enumerate(streams(secret, names)):
        columns |= {f"a{number}": np.array([a]), f"b{number}": np.array([b])}
    engine.load_numbers(STREAMS, columns)


def make_record_keys(engine: Engine, source: Relation, entity: OfColumn) -> None:
    """Make the scratch table :data:`RECORD_KEYS` of the entities of a relation. Needs the
    secret in the engine; rows without an entity have no key."""
    own = {"hash": engine.own["keyed_hash"], "numbered": engine.own["hex_number"]}
    fence = engine.own["fence"]
    engine.run("statistics/record_keys", source=source, key=entity, fence=fence, **own)


def record_key(secret: str, entity: str) -> int:
    """Return the record key of an entity by its text, as statistics/record_keys has it."""
    text = f"record key {entity}".encode()
    return int(hmac.digest(bytes.fromhex(secret), text, hashlib.sha256).hex()[2:10], 16)
