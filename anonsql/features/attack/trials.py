"""Trials: releases that the method makes of tables that the source might be.

Either one whole table is released as the source was, and held against what was published; or many
classes side by side, beside the source, each as a part of one table that nothing leads out of: a
further quasi-identifying column tells parts apart and may not be generalized. The latter asks
whether a class would have been released as it was of its own rows, and is for methods of which that
is the question (:attr:`anonsql.policy.method.MethodSettings.classes_by_own_rows`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from anonsql.attacks.minimality import Rows
from anonsql.attacks.refinement import Codes
from anonsql.attacks.sides import Facet, Sides
from anonsql.engines.base import ReleaseTables
from anonsql.errors import AnonsqlError
from anonsql.features.run.command import run_job
from anonsql.features.verify.other_releases import opened
from anonsql.jobs.job import Job, silent
from anonsql.policy.columns import ColumnPolicy
from anonsql.policy.hierarchy import SuppressionHierarchy
from anonsql.policy.policy import Policy, Release
from anonsql.policy.source import Source
from anonsql.release.staging import free_name
from anonsql.system.arrays import IntArray, np


@dataclass(frozen=True)
class Trial:
    """A policy by which tables are released that the source might be. ``secret``: the sensitive
    column that they have, if any."""

    job: Job
    published: ReleaseTables
    sides: Sides
    secret: Facet | None

    def makes(self, rows: Sequence[Rows]) -> bool:
        """Return whether the method makes the published release of these rows, taken together."""
        self._assign(rows)
        policy = self._policy(None)
        if not _run(policy):
            return False
        with self._opened(policy) as made:
            unlike = self.job.engine.query(
                "attacks/unlike", columns=self._columns, one=made.rows, other=self.published.rows
            )
        return int(unlike[0][0]) == 0

    def parts(
        self, source: Rows, classes: Sequence[Rows], truths: Sequence[int]
    ) -> IntArray | None:
        """Return which of these classes, by position, are released as they were published, each by
        itself; ``truths`` are the positions of those with the class's own rows. None where the
        method makes no release of them beside the ``source``."""
        self._assign([source, *classes])
        policy = self._policy(self._part)
        if not _run(policy):
            return None
        columns = {
            "part": np.arange(1, len(classes) + 1),
            "truth": np.array(truths, np.int64) + 1,
            "n": np.array([len(rows) for rows in classes], np.int64),
        }
        self.sides.load("attacked_parts", columns)
        labels = [facet.name for facet in self.sides.labels]
        shared = {"part": self._part, "labels": labels, "published": self.published.rows}
        with self._opened(policy) as made:
            found = self.job.engine.query("attacks/reproduced", made=made.rows, **shared)
        return np.array(found, np.int64).reshape(-1) - 1

    def memberships(self, rows: Rows) -> Mapping[int, Codes] | None:
        """Return, by position, the numbers of the labels that these rows get, where together they
        make the published release, else None: rows are numbered by a column that is kept."""
        self._assign([(row,) for row in rows])
        policy = self._policy(self._part, kept=True)
        if not _run(policy):
            return None
        attributes = {one.name: one.index for one in self.job.counted.attributes}
        labels = [(attributes[facet.name], facet.name) for facet in self.sides.labels]
        published = self.published.rows
        with self._opened(policy) as made:
            query = self.job.engine.query
            both = {"columns": self._columns, "one": made.rows, "other": published}
            if int(query("attacks/unlike", **both)[0][0]):
                return None
            found = query("attacks/memberships", made=made.rows, part=self._part, labels=labels)
        return {int(row): tuple(map(int, numbers)) for row, *numbers in found}

    @property
    def _columns(self) -> list[str]:
        return [*(facet.name for facet in self.sides.labels), *self._secret]

    @property
    def _secret(self) -> list[str]:
        return [] if self.secret is None else [self.secret.name]

    @cached_property
    def _part(self) -> str:
        """The name of the column that tells parts apart."""
        return free_name(list(self.job.policy.columns))

    def _assign(self, parts: Sequence[Rows]) -> None:
        """Make ``attacked_assigned`` of rows, part by part."""
        sizes = [len(rows) for rows in parts]
        rows = [(*codes, secret) for part in parts for codes, secret in part]
        values = np.array(rows, np.int64).reshape(len(rows), len(self.sides.labels) + 1)
        columns = {"part": np.repeat(np.arange(len(parts)), sizes)}
        for position, facet in enumerate(self.sides.labels):
            columns[f"v{facet.number}"] = values[:, position]
        self.sides.load("attacked_assigned", {**columns, "value": values[:, -1]})

    def _policy(self, part: str | None, *, kept: bool = False) -> Policy:
        """Write a file of ``attacked_assigned``, and return the policy that releases it: parts by
        themselves, or their numbers as a column that is ``kept``."""
        job = self.job
        folder = job.context.workspace / "tried"
        folder.mkdir(mode=0o700, exist_ok=True)
        attributes = {one.name: one for one in job.counted.attributes}
        secret = self.secret
        self.sides.run(
            "attacks/candidate",
            "attacked_candidate",
            labels=[(attributes[facet.name], facet.number) for facet in self.sides.labels],
            j=None if secret is None else self.sides.column(secret),
            secret=None if secret is None else secret.name,
            part=part,
        )
        columns = job.engine.columns(("attacked_candidate",))
        carried = job.engine.carry("attacked_candidate", columns, folder / "source", "parquet")
        policy = job.policy
        roles: Mapping[str, ColumnPolicy] = {
            name: one for name, one in policy.columns.items() if name in self._columns
        }
        promise = policy.privacy
        if part is not None and kept:
            roles = {part: ColumnPolicy(role="insensitive"), **roles}
        elif part is not None:
            alone = SuppressionHierarchy(type="suppression")
            shown = ColumnPolicy(role="quasi-identifying", hierarchy=alone, max_level=0)
            roles = {part: shown, **roles}
            promise = promise.model_copy(update={"suppression_limit": 0.0})
        return policy.model_copy(
            update={
                "source": Source(file=str(carried.paths[0])),
                "release": Release(database=str(folder / "release.duckdb"), table="r", completed=0),
                "catalog": None,  # beside the release: the policy's own holds no trials
                "columns": roles,
                "privacy": promise,
            }
        )

    @contextmanager
    def _opened(self, policy: Policy) -> Iterator[ReleaseTables]:
        """Open the release of a trial, inside the ``with`` block."""
        with opened(self.job, policy) as made:
            if made is None:
                raise AssertionError("a trial is released elsewhere than what it is held against")
            yield made.tables


def _run(policy: Policy) -> bool:
    """Release a table that the source might be; return whether the method does so."""
    try:
        run_job(policy, if_changed=False, dry_run=False, progress=silent, show_values=False)
    except AnonsqlError:
        return False
    return True
