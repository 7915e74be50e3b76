"""Open connections to MariaDB and MySQL."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy
from sqlalchemy.exc import DBAPIError

from anonsql.engines.errors import FULL, NO_DATABASE, REFUSED, UNREACHABLE, no_connection
from anonsql.engines.sqlalchemy_engine.engine import Driver, Fault
from anonsql.policy.locations import Location

_DRIVER = Driver(
    "mysql+pymysql", "MariaDB's driver", "mariadb://user:${PASSWORD}@host:3306/database"
)
_MODE = "STRICT_ALL_TABLES,PIPES_AS_CONCAT,NO_ENGINE_SUBSTITUTION"
"""Values must fit their columns, and a backslash in a literal is an escape, as sqlglot writes them.
It is set before SQLAlchemy looks at the server, as what that reads of tables is written by it."""
CODES: Mapping[int, Fault] = {
    **dict.fromkeys((2006, 2013, 2055, 1053, 1927, 1317), "lost"),  # the last: a query was killed
    **dict.fromkeys((1205, 1213), "locked"),
    **dict.fromkeys((1021, 1041, 1114, 3), "full"),
    **dict.fromkeys((1044, 1045, 1054, 1059, 1064, 1142, 1143, 1146, 1227, 1305), "names"),
}
_REASONS = {
    1045: REFUSED,
    1044: ("the user may not use this database.", "Ask its owner for the privilege."),
    1049: NO_DATABASE,
    1040: FULL,
}


def connect(location: Location) -> sqlalchemy.Connection:
    """Return a connection without implicit transactions."""
    try:
        return _DRIVER.connect(location, charset="utf8mb4", sql_mode=_MODE)
    except DBAPIError as error:
        code = error.orig.args[0] if error.orig is not None and error.orig.args else 0
        raise no_connection(str(location), *_REASONS.get(code, UNREACHABLE)) from None
