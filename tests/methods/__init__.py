"""Methods with small settings, for the tests that run over all methods: a module for the package of
a method, so that its cases come and go with it. A test takes those of its table from every module.

``METHODS`` are the settings of a method by name, first of all those that are named as its type;
``RANDOMIZED`` those that leave more to chance than the method must. The other tables are each a
test's.
"""

import importlib

from anonsql.policy.method import CLASS_MODELS
from anonsql.policy.methods import PACKAGES, settings_of


def cases(table):
    """The entries that modules have in a table, by name, in the order of the packages."""
    gathered = {}
    for package in PACKAGES:
        gathered |= getattr(importlib.import_module(f"{__name__}.{package}"), table, {})
    return gathered


def parsed(settings):
    """Settings as a policy has them: with what follows from them."""
    return settings_of(settings["type"]).model_validate(settings)


def changes_values(settings):
    """Whether a method may release values that are not true of their rows."""
    return settings_of(settings["type"]).changes_values


def judges_classes(settings):
    """Whether a method judges every class by its values, so that it keeps any promise of them."""
    return settings_of(settings["type"]).keeps >= CLASS_MODELS


METHODS = cases("METHODS")
RANDOMIZED = cases("RANDOMIZED")
PLAIN = {name: settings for name, settings in METHODS.items() if name == settings["type"]}
"""One case of each method."""
CHANGING = {name: settings for name, settings in METHODS.items() if changes_values(settings)}
"""Methods that may release values that are not true of their rows."""
