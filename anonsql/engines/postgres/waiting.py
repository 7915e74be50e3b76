"""Find out who holds a lock that a session waits for, by a second session, as the first one is
waiting."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy.exc import SQLAlchemyError

from anonsql.engines.postgres.errors import LockedError
from anonsql.engines.postgres.session import connect
from anonsql.errors import AnonsqlError
from anonsql.policy.locations import Location
from anonsql.sql import templates
from anonsql.system.journal import log

_PATIENCE = 2.0
"""Seconds that a statement runs before it is asked whether it waits for somebody."""


class Waiting:
    """Watches the statements of one session (``pid``). ``holders`` names the sessions that the last
    statement waited for."""

    def __init__(self, location: Location, purpose: str, pid: int) -> None:
        self._place, self._purpose, self._pid = location, purpose, pid
        self.holders = ""

    @contextmanager
    def watched(self, patience: float | None = None) -> Iterator[None]:
        """Run a statement inside. When it takes long, find out whom it waits for, and say so on
        stderr unless the caller sets a ``patience`` of its own; if it ends with a LockedError, that
        names them.
        """
        self.holders, ended = "", threading.Event()
        timer = threading.Timer(patience or _PATIENCE, self._look, [ended, patience is None])
        timer.daemon = True
        timer.start()
        try:
            yield
        except LockedError as error:
            if not self.holders:
                raise
            raise LockedError(f"{error} It was held by {self.holders}.") from None
        finally:
            ended.set()
            timer.cancel()

    def _look(self, ended: threading.Event, tell: bool) -> None:
        """Find out who holds the lock, and ``tell`` it; failures are ignored, for the statement
        itself goes on."""
        try:
            sql = templates.render("engines/postgres/lock_holders", "postgres", pid=self._pid)
            with connect(self._place, self._purpose) as connection:
                rows = connection.exec_driver_sql(sql).fetchall()
                connection.engine.dispose()
        except (AnonsqlError, SQLAlchemyError, psycopg.Error):
            return
        if ended.is_set() or not rows:
            return
        self.holders = "; ".join(_holder(*row) for row in rows)
        if tell:
            relation = next((f" on {row[0]}" for row in rows if row[0]), "")
            log.warning("waiting for a lock%s that is held by %s", relation, self.holders)


def _holder(
    _relation: str | None, pid: int, role: str | None, named: str | None, since: str | None
) -> str:
    """Return a session in words: what the server knows of it, then the name that it gave itself,
    which may be any text."""
    if not pid:
        return "a prepared transaction (see pg_prepared_xacts)"
    begun = f", in a transaction since {since} UTC" if since else ""
    calls = f", which calls itself {named!r}" if named else ""
    return f"backend {pid} of the role {role!r}{begun}{calls}"
