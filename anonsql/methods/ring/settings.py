"""Settings of ring generalization (Wong, Mamoulis, Cheung, SIGMOD 2010)."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from anonsql.methods.windows.settings import Windows


class Ring(Windows):
    """Non-homogeneous generalization (Wong, Mamoulis, Cheung, SIGMOD 2010): every row stands for
    the values of k neighbours of its own, and any of those may be its owner."""

    completed_evenly: ClassVar = True
    equal_rows_are_classes: ClassVar = False
    classes_are: ClassVar = "partitions"

    type: Literal["ring"] = "ring"
    seed: int | None = Field(
        None,
        ge=0,
        description=(
            "for tests alone: whoever knows it undoes the release; left out, the system's entropy"
        ),
    )

    @property
    def facts(self) -> frozenset[str]:
        """See :class:`MethodSettings`."""
        return frozenset({"expected_matches"} | ({"seeded"} if self.seed is not None else set()))


class Homogeneous(Windows):
    """The partitions of ``ring``, each released as one (the paper's HP)."""

    completed_evenly: ClassVar = True

    type: Literal["homogeneous"] = "homogeneous"


SETTINGS = (Ring, Homogeneous)
