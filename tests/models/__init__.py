"""Cases of single privacy models, for the tests that run over all models: a module a model, so that
the cases of a model come and go with it. A test takes those of its table from every module."""

import importlib
import pkgutil


def cases(table):
    """The entries that modules have in a table, by name."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        found |= getattr(importlib.import_module(f"{__name__}.{module.name}"), table, {})
    return found


def promised(test):
    """What the models promise in a job of a test that asks for several, as `privacy` has it."""
    return {model: jobs[test] for model, jobs in cases("PROMISED").items() if test in jobs}
