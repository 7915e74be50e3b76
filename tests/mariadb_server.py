"""A MariaDB server for tests: one of the environment's, or the one that Debian installs, with data
and a socket of its own."""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

from . import memory_files

URL = "ANONSQL_MARIADB"
_SETTINGS = (
    "--skip-networking",
    "--skip-log-bin",
    "--innodb-flush-log-at-trx-commit=0",  # nothing here outlives the tests
    "--innodb-doublewrite=0",
    "--innodb-buffer-pool-size=256M",
    "--innodb-log-file-size=64M",
    "--innodb-flush-method=nosync",
    "--performance-schema=OFF",
)


@cache
def server_url():
    """The URL of a server whose user may make databases: of $ANONSQL_MARIADB, or of one of our own;
    None without either."""
    if os.environ.get(URL):
        return os.environ[URL]
    server, install = shutil.which("mariadbd"), shutil.which("mariadb-install-db")
    if server is None and Path("/usr/sbin/mariadbd").exists():
        server = "/usr/sbin/mariadbd"
    try:
        import pymysql  # noqa: F401
    except ImportError:
        return None
    if server is None or install is None:
        return None
    folder = Path(tempfile.mkdtemp(prefix="anonsql-mariadb-", dir=memory_files.root()))
    user, given = _user(), {}
    if os.geteuid() == 0:
        os.chown(folder, user.pw_uid, user.pw_gid)
        given = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    data, socket = folder / "data", folder / "s"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **given}
    common = ["--no-defaults", f"--datadir={data}"]
    plain = ["--auth-root-authentication-method=normal", "--skip-test-db"]
    subprocess.run([install, *common, *plain], check=True, **quiet)
    process = subprocess.Popen(
        [server, *common, f"--socket={socket}", f"--pid-file={folder / 'pid'}", *_SETTINGS], **quiet
    )
    atexit.register(_end, process, folder)
    for _ in range(300):
        if socket.exists():
            return f"mariadb+pymysql://root@localhost/?unix_socket={socket}"
        time.sleep(0.1)
    raise RuntimeError("MariaDB does not start")


def connect(**given):
    """A connection of the driver to the server."""
    import pymysql
    from sqlalchemy import make_url

    url = make_url(server_url())
    shared = {"user": url.username, "password": url.password or "", "charset": "utf8mb4"}
    shared |= {"host": url.host, "autocommit": True}
    if socket := url.query.get("unix_socket"):
        shared["unix_socket"] = socket
    elif url.port:
        shared["port"] = url.port
    return pymysql.connect(**{**shared, **given})


def _user():
    """Who the server runs as: nobody special."""
    try:
        return pwd.getpwnam("mysql")
    except KeyError:
        return pwd.getpwnam("nobody")


def _end(process, folder):
    process.terminate()
    process.wait(20)
    shutil.rmtree(folder, ignore_errors=True)
