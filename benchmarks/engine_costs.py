"""What a job costs an engine: seconds of processors of this process and of the server, peak memory,
and what Spark's own records say of its jobs."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(*servers: int) -> float:
    """Return the seconds of processors that this process, its children and those of the servers
    (their process numbers) have taken, as Linux counts them."""
    return sum(_of_tree(number) for number in {os.getpid(), *servers})


def _of_tree(number: int) -> float:
    """Return the seconds of a process, of its children that have ended, and of those that run."""
    fields = _status(number)
    if not fields:
        return 0.0
    own = sum(int(field) for field in fields[11:15]) / _TICKS
    return own + sum(_of_tree(child) for child in _children(number))


def _status(number: int) -> list[str]:
    """Return what the kernel says of a process behind its name; nothing when it has ended."""
    try:
        text = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def _children(number: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{number}/task").glob("*/children"):
        try:
            found += map(int, task.read_text(encoding="ascii").split())
        except OSError:
            continue
    return found


def parent_of(number: int) -> int:
    """Return the process that started another on this machine, 0 where there is none such."""
    fields = _status(number)
    return int(fields[1]) if fields else 0


def least(work: Callable[[], object], servers: Sequence[int]) -> tuple[float, float]:
    """Return the lesser of two times of some work, for the first may find the table on disk: in
    seconds, and in seconds of processors."""
    times = []
    for _ in range(2):
        started, before = time.perf_counter(), cpu_seconds(*servers)
        work()
        times.append((time.perf_counter() - started, cpu_seconds(*servers) - before))
    return min(wall for wall, _ in times), min(cpu for _, cpu in times)


def peak_memory() -> float:
    """Return this process's own peak in MiB; rusage would count what its parent had when it was
    started."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line = next(
        line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM")
    )
    return int(line.split()[1]) / 1024


def spark_counts(spark: Any) -> dict[str, int]:
    """Return how many jobs and stages a Spark has run so far, and how many of the stages wrote for
    a shuffle. Its settings must let it remember as many."""
    context = spark.sparkContext
    java = context._jvm
    store = context._jsc.sc().statusStore()
    none = java.java.util.ArrayList()
    quantiles = context._gateway.new_array(java.double, 0)
    stages = store.stageList(none, False, False, quantiles, none)
    shuffles = run = 0
    for number in range(stages.size()):
        stage = stages.apply(number)
        done = stage.status().toString() == "COMPLETE"
        run += done
        shuffles += done and stage.shuffleWriteRecords() > 0
    return {"jobs": store.jobsList(none).size(), "stages": run, "shuffles": shuffles}
