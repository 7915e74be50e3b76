"""Settings of local recoding by cells (Incognito, 5.2)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from anonsql.policy.method import CLASS_MODELS, MethodSettings


class EffortGoal(BaseModel):
    """Effort by the time that it may take."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seconds: float = Field(
        gt=0,
        le=10_000_000,
        allow_inf_nan=False,
        description=(
            "the approximate number of seconds for passes, each of which tries four times as many"
            " generalizations as the one before; they end once a pass gains less than 1 % of the"
            " loss. Another run may find other groups"
        ),
    )


def _kind_of_effort(effort: Any) -> str:
    return "goal" if isinstance(effort, (dict, EffortGoal)) else "degree"


Effort = Annotated[
    Annotated[int, Field(ge=0, le=10), Tag("degree")] | Annotated[EffortGoal, Tag("goal")],
    Discriminator(_kind_of_effort),
]
"""How many generalizations are tried: a degree, or for how long."""


class CellGeneralization(MethodSettings):
    """Local recoding by generalization (Incognito, 5.2): every cell as it is or as an ancestor,
    whatever happens to other cells of the same value."""

    keeps: ClassVar = CLASS_MODELS
    averages: ClassVar = True
    least_loss: ClassVar = True

    type: Literal["cell-generalization"] = "cell-generalization"
    effort: Effort = Field(
        0,
        description=(
            "the effort of trying more generalizations, from 0 to 10 (four times as many for"
            " every second step), or a time limit: less information is lost, for more time"
        ),
    )


class CellSuppression(MethodSettings):
    """Local recoding by suppression (Incognito, 5.2): every cell as it is or as ``*``."""

    keeps: ClassVar = CLASS_MODELS
    averages: ClassVar = True
    least_loss: ClassVar = True
    all_or_nothing: ClassVar = True

    type: Literal["cell-suppression"] = "cell-suppression"


SETTINGS = (CellGeneralization, CellSuppression)
