"""Settings of local recoding by cells (Incognito, 5.2)."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from anonsql.policy.method import CLASS_MODELS, MethodSettings


class CellGeneralization(MethodSettings):
    """Local recoding by generalization (Incognito, 5.2): every cell as it is or as an ancestor,
    whatever happens to other cells of the same value."""

    keeps: ClassVar = CLASS_MODELS

    type: Literal["cell-generalization"] = "cell-generalization"
    effort: int = Field(
        0,
        ge=0,
        le=10,
        description=(
            "how many generalizations are tried besides, each degree twice as many: less is lost,"
            " for more time"
        ),
    )


class CellSuppression(MethodSettings):
    """Local recoding by suppression (Incognito, 5.2): every cell as it is or as ``*``."""

    keeps: ClassVar = CLASS_MODELS
    all_or_nothing: ClassVar = True

    type: Literal["cell-suppression"] = "cell-suppression"


SETTINGS = (CellGeneralization, CellSuppression)
