"""Settings of ring generalization (Wong, Mamoulis, Cheung, SIGMOD 2010)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from anonsql.errors import FieldError
from anonsql.methods.windows.settings import Windows
from anonsql.policy.method import Requirements

if TYPE_CHECKING:
    from anonsql.policy.columns import ColumnPolicy


class Ring(Windows):
    """Non-homogeneous generalization (Wong, Mamoulis, Cheung, SIGMOD 2010): every row covers the
    values of k neighbours of its own, and any of these may be its owner."""

    completed_evenly: ClassVar = True
    equal_rows_are_classes: ClassVar = False
    classes_are: ClassVar = "partitions"

    type: Literal["ring"] = "ring"
    seed: int | None = Field(
        None,
        ge=0,
        description=(
            "for tests only: anyone who knows it can undo the release; by default the system's"
            " entropy"
        ),
    )

    def require_fit(self, required: Requirements) -> None:
        """Raise FieldError where a column that is released shows which rows are one person's."""
        super().require_fit(required)
        if (entity := required.privacy.entity) is not None:
            _refuse_links(entity, required.columns)

    @property
    def facts(self) -> frozenset[str]:
        return frozenset({"expected_matches"} | ({"seeded"} if self.seed is not None else set()))


class Homogeneous(Windows):
    """The partitions of ``ring``, each released as one (the paper's HP)."""

    completed_evenly: ClassVar = True

    type: Literal["homogeneous"] = "homogeneous"


def _refuse_links(entity: str, columns: Mapping[str, ColumnPolicy]) -> None:
    column = columns.get(entity)
    if column is None or (column.role == "identifying" and column.replace != "surrogate"):
        return
    shown = "has surrogates" if column.replace == "surrogate" else f"is {column.role}"
    text = (
        f"{entity!r} {shown}, which shows which released rows belong to one person, and ring"
        " hides every row separately: make it `{role: identifying}`, or choose another method,"
        " e.g. mondrian"
    )
    raise FieldError(f"columns.{entity}", text)


SETTINGS = (Ring, Homogeneous)
