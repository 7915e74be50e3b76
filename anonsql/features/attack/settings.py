"""What ``anonsql attack`` goes by, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from anonsql.engines.base import Relation, ReleaseTables
from anonsql.errors import PolicyError, did_you_mean
from anonsql.features.attack.document import Kind
from anonsql.jobs.job import Job
from anonsql.policy.table_plan import TablePlan
from anonsql.verification.structure import LABELS

KINDS: tuple[Kind, ...] = get_args(Kind)
ATTEMPTS = 2_000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class AttackSettings:
    """What ``anonsql attack`` goes by. ``kinds``: the attacks to make (none: all); ``attempts``:
    guesses of each at most; ``control``: a table of the source's database with rows of the same
    population that were not released; ``confidence`` of the intervals; ``with_releases``: other
    releases of the source, each given as to ``query``."""

    kinds: Sequence[str] = ()
    attempts: int = ATTEMPTS
    seed: int = 0
    control: str | None = None
    confidence: float = CONFIDENCE
    with_releases: Sequence[object] = ()


def require_labels(published: ReleaseTables, policy: TablePlan) -> None:
    """Raise PolicyError where the release lacks labels of a column of the policy."""
    columns = published.engine.columns(published.rows)
    readable = {column.name for column in columns if column.type in LABELS}
    if lacking := [name for name in policy.quasi_identifiers if name not in readable]:
        named = ", ".join(map(repr, lacking))
        text = f"what is published has no labels of {named}: it is no release of this policy."
        raise PolicyError.at("release", text, "`anonsql verify` tells what else is wrong with it.")


def nothing(found: str) -> PolicyError:
    """Return the error of a release in which nothing is to be attacked."""
    return PolicyError.at("release", f"there is nothing to attack: {found}", "Publish rows first.")


def kinds_of(wanted: AttackSettings, policy: TablePlan) -> Sequence[Kind]:
    """Return the attacks to make; raise PolicyError where settings make no sense."""
    for kind in wanted.kinds:
        if kind not in KINDS:
            remedy = did_you_mean(kind, KINDS) or f"Known: {', '.join(KINDS)}."
            raise PolicyError.at("--kinds", f"there is no attack {kind!r}.", remedy)
    if wanted.attempts < 1:
        text = f"{wanted.attempts:,} attempts find nothing."
        raise PolicyError.at("--attempts", text, "Give a number from 1.")
    if not 0 < wanted.confidence < 1:
        text = f"{wanted.confidence:g} is no confidence."
        raise PolicyError.at("--confidence", text, "Give one between 0 and 1, e.g. 0.95.")
    if policy.privacy.entity is not None:
        if wanted.with_releases and not wanted.kinds:
            return []
        raise PolicyError.at(
            "privacy.entity",
            "people of this policy may have several rows, and guesses count rows.",
            "`anonsql verify` prints the risk of people; `attack --with RELEASE` compares releases.",
        )
    asked = [kind for kind in KINDS if kind in wanted.kinds] or list(KINDS)
    sensitive = [name for name, one in policy.columns.items() if one.role == "sensitive"]
    if "inference" in wanted.kinds and not (sensitive or policy.tabled):
        raise PolicyError.at(
            "--kinds",
            "inference guesses sensitive values, and no column of the policy is sensitive.",
            "Leave inference out, or give a column the role sensitive.",
        )
    return asked


def control_of(job: Job, wanted: AttackSettings) -> Relation | None:
    """Return the table of the control, if any; raise PolicyError where it lacks a column."""
    if wanted.control is None:
        return None
    source = job.first.source
    if source.table is None:
        text = "the source is a file, beside which no table lies."
        raise PolicyError.at("--control", text, "Put both into a database.")
    there = source.model_copy(update={"table": wanted.control})
    table = job.engine.open_beside(there, "--control")
    lacking = {column.name for column in job.opened.columns} - {
        column.name for column in job.engine.columns(table)
    }
    if lacking:
        named = ", ".join(map(repr, sorted(lacking)))
        text = f"{wanted.control!r} lacks columns of the source: {named}."
        raise PolicyError.at("--control", text, "Give a table that has all of them.")
    return table
