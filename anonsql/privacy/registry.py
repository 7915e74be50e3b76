"""anonsql's own privacy models besides k, each in a module of its own."""

from __future__ import annotations

from anonsql.privacy import added
from anonsql.privacy.alpha_k import AlphaK
from anonsql.privacy.base import ModelSettings
from anonsql.privacy.beta_likeness import BetaLikeness
from anonsql.privacy.delta_disclosure import DeltaDisclosure
from anonsql.privacy.delta_presence import DeltaPresence
from anonsql.privacy.k_map import KMap
from anonsql.privacy.l_diversity import LDiversity
from anonsql.privacy.t_closeness import TCloseness

MODELS: tuple[type[ModelSettings], ...] = (
    LDiversity,
    TCloseness,
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    KMap,
    DeltaPresence,
)
"""In the order in which `privacy` lists and checks them."""


def settings_of(name: str) -> type[ModelSettings] | None:
    """Return the settings of the model of that name, one of anonsql's own or of another package;
    None where there is none."""
    own = next((model for model in MODELS if model.name == name), None)
    return own or (added.settings_of(name) if name in added.names() else None)
