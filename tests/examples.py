"""How many examples a property is tried on, by what one example costs.

An example that is a whole job takes half a second; the many that find a rare fault are for the
cores of algorithms, which take milliseconds and say their own numbers. HYPOTHESIS_PROFILE=exploring
tries ten times as many jobs, other ones each time.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

EXPLORING = os.environ.get("HYPOTHESIS_PROFILE") == "exploring"


def _of_jobs(count):
    """Settings for examples of seconds."""
    return settings(
        max_examples=count * 10 if EXPLORING else count,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )


searches = _of_jobs(6)
"""For examples that go as far as the search, or group cells, and publish nothing."""
whole_jobs = _of_jobs(4)
"""For examples that publish a release and prove it."""
