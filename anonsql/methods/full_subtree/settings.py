"""Settings of full-subtree recoding (Incognito, 5.1.1)."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from anonsql.policy.method import CLASS_MODELS, MethodSettings


class FullSubtree(MethodSettings):
    """Single-dimension full-subtree recoding (Incognito, 5.1.1): a cut through each column's
    hierarchy."""

    keeps: ClassVar = CLASS_MODELS
    averages: ClassVar = True
    searches: ClassVar = True

    type: Literal["full-subtree"] = "full-subtree"
    starts: int = Field(
        4,
        ge=1,
        le=64,
        description=(
            "the number of full-domain generalizations to specialize, in addition to the highest"
            " levels"
        ),
    )

    @property
    def needs_search(self) -> bool:
        return True


SETTINGS = (FullSubtree,)
