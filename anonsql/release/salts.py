"""Random numbers that cannot be repeated: a salt is drawn for one statement, reaches the engine as
data, and is then dropped.

Rows are dealt to buckets and groups, drawn, or given meaningless numbers by MD5(salt || number of
the row). The salt is the secret: an attacker who has it, and knows the order in which an engine
scans the source (serial numbers, say), knows which released row is whose. Many can read a
statement: servers log it, show it to other roles and keep its text for statistics. So a statement
names the scratch table ``fresh_salt`` and contains nothing of it, and :meth:`Engine.load` brings
the row of that table as data: by COPY to PostgreSQL, as a bound value to DuckDB, as a local
relation, whose rows no plan shows, to Spark.

The engines' own random numbers do not serve: those of DuckDB and Spark are not cryptographic (PCG32
with 64 bits of state, XORShift; Spark shows the seed in its plans), and PostgreSQL before 13 has
none that are. Besides, Spark recomputes a part of a table when a machine fails, and would draw
other numbers then. A keyed hash of 256 random bits of the operating system is equally hard to
predict on every engine: the salt fills exactly one block of MD5, which is then the key of a
pseudorandom function, and the known collisions of MD5 do not weaken such a function. Without the
salt, the hash of each row is an independent random number.

A salt serves one statement: what two statements draw by the same salt would go together.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from anonsql.engines.base import Engine

TABLE = "fresh_salt"
_BYTES = 32


@contextmanager
def fresh_salt(engine: Engine) -> Iterator[None]:
    """Let the statement inside take ``release/salt``, which goes with the run's scratch."""
    engine.load(TABLE, [("salt", "VARCHAR")], [(secrets.token_hex(_BYTES),)])
    yield
    engine.drop(TABLE)
