"""anonsql's own privacy models besides k, each in a module of its own."""

from __future__ import annotations

import importlib

from anonsql.privacy import plugins
from anonsql.privacy.base import ModelSettings

NAMES = (
    "l_diversity",
    "t_closeness",
    "alpha_k",
    "beta_likeness",
    "delta_disclosure",
    "k_map",
    "delta_presence",
)
"""The modules of :mod:`anonsql.privacy` that are models: each has its settings in ``MODEL``. In the
order in which `privacy` lists and checks them."""
MODELS: tuple[type[ModelSettings], ...] = tuple(
    importlib.import_module(f"anonsql.privacy.{name}").MODEL for name in NAMES
)


def settings_of(name: str) -> type[ModelSettings] | None:
    """Return the settings of the model of that name, one of anonsql's own or of another package;
    None where there is none."""
    own = next((model for model in MODELS if model.name == name), None)
    return own or (plugins.settings_of(name) if name in plugins.names() else None)
