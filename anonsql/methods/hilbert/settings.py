"""Settings of groups along a Hilbert curve (Ghinita, Karras, Kalnis, Mamoulis, VLDB 2007)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from anonsql.methods.windows.settings import FREQUENCIES, require_frequencies_alone
from anonsql.policy.method import Form, MethodSettings, Requirements, refuse_levels

if TYPE_CHECKING:
    from anonsql.policy.columns import ColumnPolicy


class Hilbert(MethodSettings):
    """Groups of k to 2k - 1 neighbours on a Hilbert curve, the best partition of that order
    (Ghinita, Karras, Kalnis, Mamoulis, VLDB 2007), with l-diversity groups made greedily: the
    homogeneous baseline HS / HR of Wong, Mamoulis, Cheung (2010)."""

    keeps: ClassVar = FREQUENCIES
    averages: ClassVar = True
    label_for_each_row: ClassVar = True

    type: Literal["hilbert"] = "hilbert"
    representation: Literal["set", "range"] = Field(
        "set", description="release sets of a group's values (HS), or intervals (HR)"
    )

    @classmethod
    def needs_hierarchies(cls, parameters: Mapping[str, Any]) -> bool:
        return False

    def require_levels(self, columns: Mapping[str, ColumnPolicy]) -> None:
        refuse_levels(self.type, columns)

    def ignores_hierarchy(self, *, ordered: bool, gives_order: bool) -> bool:
        """Use a hierarchy for the order of names alone."""
        return ordered or not gives_order

    def require_fit(self, required: Requirements) -> None:
        require_frequencies_alone(self.type, required.privacy)
        super().require_fit(required)

    def form(self, *, ordered: bool, least: int) -> Form:
        if self.representation == "set":
            return "set"
        return "numbers" if ordered else "names"


SETTINGS = (Hilbert,)
