"""What Presidio's recognizers find besides, where the package is installed: national numbers
of more countries, by their check digits.

They are given a bounded sample of different values that have a long number in them. Recognizers
that need a model of a language, that load anything from a network, or that take plain codes for
telephone numbers, are not used.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
from functools import cache
from typing import Any

from anonsql.engines.base import Column, Engine, Relation
from anonsql.policy.columns import Kind
from anonsql.risks.contents import expressions

MOST = 500
"""The different values of a column that leave the database at most."""
_LONG_NUMBER = "[0-9](?:[ ()/.-]{0,2}[0-9A-Z]){7}"
_SURE = 0.8  # the least score of a match; check digits that are right give 1
_FEWEST = 3
_SHARE = 0.05  # of the sampled rows; a number of a good form may be there by chance
_NAMES: dict[Kind, tuple[str, ...]] = {
    "national-number": (
        "AuMedicareRecognizer",
        "AuTfnRecognizer",
        "DeSocialSecurityRecognizer",
        "EsNieRecognizer",
        "EsNifRecognizer",
        "FiPersonalIdentityCodeRecognizer",
        "ItFiscalCodeRecognizer",
        "KrRrnRecognizer",
        "PlPeselRecognizer",
        "SePersonnummerRecognizer",
        "SgFinRecognizer",
        "ThTninRecognizer",
        "TrNationalIdRecognizer",
    ),
}

KINDS = _NAMES.keys()
"""What can be found."""


def installed() -> bool:
    """Return whether the package is there."""
    return importlib.util.find_spec("presidio_analyzer") is not None


def found(engine: Engine, relation: Relation, column: Column) -> tuple[int, dict[Kind, int]]:
    """Return the rows of the sampled values of a column, and how many of them hold each kind; no
    rows where no value has a long number, or the package is not there."""
    if not installed():
        return 0, {}
    without = expressions.bounded("|".join(expressions.NUMBERS.values()))
    parameters = {"expression": _LONG_NUMBER, "without": without, "most": MOST}
    named = {"relation": relation, "name": column.name, "type": column.type}
    values = engine.query("risks/contents/sample", **named, **parameters)
    if not values:
        return 0, {}
    rows = sum(int(count) for _, count in values)
    kinds: dict[Kind, int] = {}
    for kind, recognizers in _recognizers().items():
        held = sum(int(count) for value, count in values if _holds(recognizers, str(value)))
        if held >= max(_FEWEST, _SHARE * rows):
            kinds[kind] = held
    return rows, kinds


def _holds(recognizers: list[Any], value: str) -> bool:
    """Return whether one of some recognizers is sure of a text."""
    return any(
        match.score >= _SURE
        for recognizer in recognizers
        for match in recognizer.analyze(value, recognizer.supported_entities, None)
    )


@cache
def _recognizers() -> dict[Kind, list[Any]]:
    """Return the recognizers by kind; those that the installed version lacks are left out."""
    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)
    module = importlib.import_module("presidio_analyzer.predefined_recognizers")
    return {
        kind: [getattr(module, name)() for name in names if hasattr(module, name)]
        for kind, names in _NAMES.items()
    }
