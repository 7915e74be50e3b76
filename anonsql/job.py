"""One run: what it works on, and what its stages found so far."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Job", "Progress", "silent"]

from anonsql.catalog import Catalog
from anonsql.clock import Progress, silent
from anonsql.coded import Coded
from anonsql.engines.base import Column, Context, Engine, Located, Relation, Target
from anonsql.errors import Problem
from anonsql.hierarchies import Attribute
from anonsql.kept.counting import Alone
from anonsql.kept.telling import Without
from anonsql.methods.buckets import BucketSizes
from anonsql.methods.patterns import Marks, Widened
from anonsql.methods.relocated_groups import Relocated
from anonsql.models import Promise
from anonsql.places import Places
from anonsql.policy import Policy
from anonsql.recoding import Recoding
from anonsql.released import ReleasedColumn
from anonsql.report.spans import Spans
from anonsql.scheme import Scheme
from anonsql.search.found import Found
from anonsql.search.frequency import FrequencySets
from anonsql.search.measure import Measured
from anonsql.search.roll_up import RollUps
from anonsql.star import Star
from anonsql.verification.facts import Classes


@dataclass
class Job:
    """What one run works on, and what its stages found so far."""

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
    found: Found = field(init=False)
    searched: bool = False
    node: Measured = field(init=False)
    chosen_classes: str = "chosen_classes"
    recoding: Recoding = field(init=False)
    released: Sequence[ReleasedColumn] = ()
    metrics: dict[str, float] = field(default_factory=dict)
    optimal: bool | None = None
    spans: dict[str, Spans] = field(default_factory=dict)
    relocated: Relocated | None = None
    told: dict[str, object] = field(default_factory=dict)
    kept_in_source: Alone | None = None
    telling: Sequence[Without] = ()
    staged: Located = field(init=False)
    classes: Classes = field(init=False)

    def __post_init__(self) -> None:
        """Whoever tells its progress looks at the clock."""
        self.progress = self.context.journal.clock.telling(self.progress)
