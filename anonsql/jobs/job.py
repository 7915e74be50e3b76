"""One run: what it works on, and the results of its stages."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Job", "Progress", "silent"]

from anonsql.engines.base import Column, Context, Engine, Located, Relation, Target
from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.scheme import Scheme
from anonsql.methods.hybrid.relocated_groups import Relocated
from anonsql.methods.local.buckets import BucketSizes
from anonsql.methods.local.patterns import Marks, Widened
from anonsql.policy.locations import Places
from anonsql.policy.policy import Policy
from anonsql.release.columns import ReleasedColumn
from anonsql.release.recoding import Recoding
from anonsql.report.spans import Spans
from anonsql.risks.kept.counting import Alone
from anonsql.risks.kept.telling import Without
from anonsql.search.found import SearchResult
from anonsql.search.frequency import FrequencySets
from anonsql.search.measure import Measured
from anonsql.search.roll_up import RollUps
from anonsql.star.cells import Star
from anonsql.star.coded import Coded
from anonsql.star.models import Promise
from anonsql.system.clock import Progress, silent
from anonsql.verification.facts import Classes


@dataclass
class Job:
    """What one run works on, and the results of its stages so far."""

    policy: Policy
    places: Places
    engine: Engine
    target: Target
    catalog: Catalog
    context: Context
    progress: Progress = silent
    show_values: bool = False
    run: int = 0
    status: str = "done"
    made_from: str | None = None
    release_id: str = field(default_factory=lambda: secrets.token_hex(8))
    scheme: Scheme | None = None
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    statements: dict[str, int] = field(default_factory=dict)

    source: Relation = ()
    columns: Sequence[Column] = ()
    rows: int = 0
    combinations: int = 0
    attributes: Sequence[Attribute] = ()
    coded: Sequence[Coded] = ()
    marks: Marks | None = None
    dealt: dict[str, BucketSizes] = field(default_factory=dict)
    hidden: dict[str, int] = field(default_factory=dict)
    widened: Widened = field(default_factory=Widened)
    population: Relation = ()
    star: Star = field(init=False)
    promise: Promise = field(init=False)
    sets: FrequencySets = field(init=False)
    roll_ups: RollUps = field(init=False)
    found: SearchResult = field(init=False)
    searched: bool = False
    node: Measured | None = None
    recoding: Recoding = field(init=False)
    released: Sequence[ReleasedColumn] = ()
    metrics: dict[str, float] = field(default_factory=dict)
    optimal: bool | None = None
    spans: dict[str, Spans] = field(default_factory=dict)
    relocated: Relocated | None = None
    facts: dict[str, object] = field(default_factory=dict)
    kept_in_source: Alone | None = None
    telling: Sequence[Without] = ()
    staged: Located = field(init=False)
    classes: Classes = field(init=False)

    def __post_init__(self) -> None:
        """Let every report of progress check the clock too."""
        self.progress = self.context.journal.clock.telling(self.progress)
