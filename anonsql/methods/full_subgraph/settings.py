"""Settings of full-subgraph recoding (Incognito, 5.1.3)."""

from __future__ import annotations

from typing import ClassVar, Literal

from anonsql.policy.method import CLASS_MODELS, MethodSettings


class FullSubgraph(MethodSettings):
    """Multi-dimension full-subgraph recoding (Incognito, 5.1.3): the domain is cut into boxes of
    hierarchy nodes, and all combinations of a box get its nodes."""

    keeps: ClassVar = CLASS_MODELS
    averages: ClassVar = True

    type: Literal["full-subgraph"] = "full-subgraph"


SETTINGS = (FullSubgraph,)
