"""Record keys: a number for every entity, the same in every table, on every engine and in every
run; only the owner of the secret can compute it. A cell's key is the sum of its people's, modulo
2³², so that keys roll up as counts do. Noise is looked up by a keyed hash of a cell's key: by the
key itself a person who joins two cells would shift the noise of both equally.

Two groups of people have the same key, and so the same noise, with a chance of 2⁻³²: among 700,000
cells about 60 pairs, which no reader can find.

The secret is that of :mod:`anonsql.over_time.ledger`: it comes to an engine as data. With the
secret the noise can be taken off; another secret draws other noise, and the mean of many such
releases is the truth: it must stay the same as long as anything is published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.engines.base import Engine, OfColumn, Relation

RECORD_KEYS = "record_keys"
"""The scratch table of record keys: e, the entity, and rk, its key."""


def make_streams(engine: Engine, names: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Make ``cell_streams``: two numbers in [0, 2³²) for each cell's key by ``names``, each with
    the columns of its two numbers. A name gives the same numbers everywhere: it says what is
    counted or summed ("count", "sum of cost"), not in which table. Needs the secret and the cells
    in the engine."""
    engine.run("statistics/streams", streams=names, **_hashing(engine))


def make_record_keys(engine: Engine, source: Relation, entity: OfColumn) -> None:
    """Make the scratch table :data:`RECORD_KEYS` of the entities of a relation. Needs the
    secret in the engine; rows without an entity have no key."""
    engine.run("statistics/record_keys", source=source, key=entity, **_hashing(engine))


def _hashing(engine: Engine) -> Mapping[str, str]:
    templates = {"hash": "keyed_hash", "numbered": "hex_number", "fence": "fence"}
    return {name: engine.own[template] for name, template in templates.items()}
