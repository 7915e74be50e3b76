"""Measures of a release, computed from its figures; and that every privacy model is registered."""

import importlib
import pkgutil
from typing import get_args

import pytest

from anonsql import privacy
from anonsql.measures import registry
from anonsql.measures.registry import Figures, Measure
from anonsql.methods.full_domain.settings import Metric
from anonsql.privacy import registry as models_registry
from anonsql.privacy.alpha_k import AlphaK
from anonsql.privacy.base import ColumnModel, ModelSettings, PopulationModel


def in_modules(package, wanted):
    """What the modules of a package define that is wanted."""
    found = []
    for iter_module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(iter_module.name)
        found += [one for name, one in vars(module).items() if not name.startswith("_")]
    return {one for one in found if wanted(one)}


def test_every_measure_has_a_name_of_its_own():
    assert len(registry.FORMULAS) == len(registry.MEASURES)


def test_every_model_is_registered():
    bases = (ModelSettings, ColumnModel, PopulationModel)
    defined = in_modules(
        privacy,
        lambda one: isinstance(one, type) and issubclass(one, ModelSettings) and one not in bases,
    )
    assert defined == set(models_registry.MODELS)


def test_what_may_be_minimized_are_the_measures_with_a_cost():
    assert set(get_args(Metric)) == set(registry.COSTS)


def test_values():
    """Ten rows, of which two are suppressed, in two classes of five and three."""
    figures = Figures(
        10,
        suppressed=2,
        k=2,
        classes=2,
        squares=25 + 9,
        weights={1: 1.0, 2: 3.0},
        lost={1: 0.2, 2: 0.6},
        levels={1: 1, 2: 2},
        heights={1: 2, 2: 2},
        penalty=0.25,
        own={"ncp": 7.0},
    )
    assert registry.measured(figures) == pytest.approx(
        {
            "loss": (0.2 + 3 * 0.6) / 4,
            "gcp": 0.25,
            "precision": 1 - ((0.8 * 0.5 + 0.2) + (0.8 * 1 + 0.2)) / 2,
            "discernibility": 34 + 2 * 10,
            "average_class_size": 2,
            "height": 3,
            "weighted-height": 7,
            "ncp": 7,
            "suppressed_share": 0.2,
        }
    )


def test_a_measure_that_says_nothing_of_a_release_is_left_out():
    figures = Figures(10, classes=5, weights={1: 1.0}, lost={1: 0.0})
    assert list(registry.measured(figures)) == ["loss", "average_class_size", "suppressed_share"]
    released = Figures(10, suppressed=10, classes=0, weights={1: 1.0}, lost={1: 1.0})
    assert registry.measured(released)["average_class_size"] == float("inf")


def test_a_new_measure_is_one_object(monkeypatch):
    kept = Measure("kept", "released rows", lambda figures: figures.released)
    monkeypatch.setattr(registry, "MEASURES", (*registry.MEASURES, kept))
    assert registry.measured(Figures(10, 4, weights={1: 1.0}, lost={1: 1.0}))["kept"] == 6


def test_a_promise_about_some_values_says_so():
    """A release states it: readers must not take it for a promise about all values."""
    some, every = AlphaK(alpha="0.5", values=["flu"]), AlphaK(alpha="0.5")
    assert (some.fact, every.fact) == ("0.5 of some values", "0.5")
    assert "that the policy names" in AlphaK.in_words(some.fact, "ill", "class")
    assert "that the policy names" not in AlphaK.in_words(every.fact, "ill", "class")
