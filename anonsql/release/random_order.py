"""Random orders that nobody can repeat: a salt that is drawn for one statement, reaches the engine
as data, and is then gone.

Rows are put into a random order, dealt to buckets, or given numbers that tell nothing, by MD5(salt
|| number of the row). The salt is the secret: whoever has it and knows the order in which an engine
scans the source (serial numbers, say) knows which released row is whose. Statements are read by
many: servers log them, show them to other roles and keep their text for statistics. So a statement
names the scratch table ``fresh_salt`` and nothing of what is in it (``release/salt``), and
:meth:`Engine.load` brings that row there as data: by COPY to PostgreSQL, as a bound value to
DuckDB, as a local relation, whose rows no plan shows, to Spark.

Why not random numbers of the engines: DuckDB's and Spark's are no cryptographic ones (PCG32 with 64
bits of state, XORShift; Spark shows the seed in its plans), and PostgreSQL before 13 has none that
are. Spark besides works out a part of a table again when a machine fails, and would then draw other
numbers. A keyed hash of 256 random bits of the operating system is as hard to predict on every
engine: the salt fills exactly one block of MD5, which is the key of a pseudorandom function, and
known collisions of MD5 say nothing about such. For whoever lacks the salt each row's hash is a
random number of its own.

A salt serves one statement. Two tables that were sorted by one salt would have orders that explain
each other.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anonsql.engines.base import Engine

TABLE = "fresh_salt"
_BYTES = 32


@contextmanager
def fresh_salt(engine: Engine) -> Iterator[None]:
    """Let the statement inside take ``release/salt``. After an error nothing is removed here: the
    run's scratch goes as a whole."""
    engine.load(TABLE, [("salt", "VARCHAR")], [(secrets.token_hex(_BYTES),)])
    yield
    engine.drop(TABLE)
