"""Open connections to MariaDB and MySQL."""

from __future__ import annotations

import sqlalchemy
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from anonsql.engines.errors import FULL, NO_DATABASE, REFUSED, UNREACHABLE, no_connection
from anonsql.errors import BusyError, PolicyError
from anonsql.policy.locations import Location

_MODE = "STRICT_ALL_TABLES,PIPES_AS_CONCAT,NO_ENGINE_SUBSTITUTION"
"""Values must fit their columns, and a backslash in a literal is an escape, as sqlglot writes them.
It is set before SQLAlchemy looks at the server, as what that reads of tables is written by it."""


def connect(location: Location) -> sqlalchemy.Connection:
    """Return a connection without implicit transactions."""
    try:
        url = sqlalchemy.make_url(location.url).set(drivername="mysql+pymysql")
        url = url.update_query_dict({"charset": "utf8mb4"})
        engine = sqlalchemy.create_engine(
            url,
            poolclass=sqlalchemy.NullPool,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
            connect_args={"connect_timeout": 15, "sql_mode": _MODE},
        )
        return engine.connect()
    except (ArgumentError, NoSuchModuleError, ValueError, TypeError):
        remedy = "E.g. mariadb://user:${PASSWORD}@host:3306/database."
        raise PolicyError.at(
            "source.database", "this is no URL that MariaDB's driver understands.", remedy
        ) from None
    except DBAPIError as error:
        raise _unreachable(error, str(location)) from None


def _unreachable(error: DBAPIError, location: str) -> BusyError:
    """Return the error that no connection could be made, with the reason and a remedy."""
    code = error.orig.args[0] if error.orig is not None and error.orig.args else 0
    text, remedy = {
        1045: REFUSED,
        1044: ("the user may not use this database.", "Ask its owner for the privilege."),
        1049: NO_DATABASE,
        1040: FULL,
    }.get(code, UNREACHABLE)
    return no_connection(location, text, remedy)
