"""A whole job measured in a process of its own, so that its peak memory is its own."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from typing import Any

import anonsql
from anonsql.policy.policy import Policy


def measured(policy: Policy) -> str:
    """Run a policy in this process. As JSON: seconds, those of processors, megabytes (the peak of
    it or of a process that it started), loss, groups, statements, and seconds by stage."""
    started, processors = time.perf_counter(), sum(os.times()[:4])
    report = anonsql.run(policy)
    seconds, processors = time.perf_counter() - started, sum(os.times()[:4]) - processors
    peak = (
        max(
            resource.getrusage(who).ru_maxrss
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        / 1024
    )
    sizes = {
        "loss": report.metrics["loss"],
        "groups": report.classes,
        "statements": report.statements,
        "stages": report.seconds,
    }
    return json.dumps({"seconds": seconds, "processors": processors, "megabytes": peak, **sizes})


def apart(benchmark: str, part: str, folder: str) -> dict[str, Any]:
    """What ``measured`` tells in a process of its own: ``python -m benchmark --part PART --folder
    FOLDER``."""
    order = [sys.executable, "-m", benchmark, "--part", part, "--folder", folder]
    figures: dict[str, Any] = json.loads(
        subprocess.run(order, stdout=subprocess.PIPE, text=True, check=True).stdout
    )
    return figures


def slowest(figures: dict[str, Any]) -> str:
    """The three stages that took longest, in words."""
    stages = sorted(figures["stages"].items(), key=lambda item: -item[1])[:3]
    return ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in stages)
