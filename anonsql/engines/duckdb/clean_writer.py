"""Writes a release file in a process of its own that has read nothing but the staged release rows.

DuckDB writes whole blocks, and the unused tail of a block can hold whatever the process's memory held before. A
process that has handled the source would publish scraps of it; this one cannot. It runs as a plain script: statements
come as JSON on standard input, and nothing of anonsql is imported. Of DuckDB the module behind its package is enough where
there is one: it is imported in a fifth of the time.
"""

import ctypes
import json
import os
import signal
import sys

try:
    import _duckdb as duckdb
except ImportError:
    import duckdb  # type: ignore[no-redef]

if __name__ == "__main__":
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: never outlive the run
    order = json.load(sys.stdin)
    if os.getppid() != order["run"]:  # it died before that
        sys.exit(1)
    connection = duckdb.connect(":memory:", config=order["settings"])
    try:
        for statement in order["statements"]:
            connection.execute(statement)
        connection.close()
    except duckdb.Error as error:
        json.dump({"type": type(error).__name__, "message": str(error)}, sys.stdout)
        sys.exit(1)
