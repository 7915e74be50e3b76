"""Specifications of charts (Vega-Lite) for pages and notebooks."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path
from typing import Any

from anonsql.errors import PolicyError
from anonsql.presentation.tree import Chart, Figures, Reader

Spec = dict[str, Any]
_WIDTH = 640
_COLOUR = re.compile(r"var\(--([a-z0-9-]+)\)")


def chart(
    name: str, title: str, says: str, spec: Spec, figures: Figures, *, on: Reader = "all"
) -> Chart:
    """Return a chart that is as wide as its place."""
    whole = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}, **spec}
    return Chart(name=name, title=title, says=says, spec=whole, figures=figures, on=on)


def axis(title: str | None, form: str | None = None, **more: Any) -> Spec:
    """Return an axis with a title, its numbers in a form of d3."""
    return {"title": title, **({"format": form} if form else {}), **more}


def altair(spec: Spec) -> Any:
    """Return a specification as a chart of Altair, of a fixed width and in the light colours. Raise
    PolicyError where Altair is not installed."""
    try:
        library: Any = importlib.import_module("altair")
    except ImportError:
        raise PolicyError.at(
            "charts", "the package altair is not installed.", "pip install altair"
        ) from None
    return library.Chart.from_dict(_coloured(spec | {"width": _WIDTH}))


def _coloured(value: Any) -> Any:
    """Return a specification with the light colours for the style's names; data stays as it is."""
    if isinstance(value, str):
        match = _COLOUR.fullmatch(value)
        return _colours()[match[1]] if match else value
    if isinstance(value, list):
        return [_coloured(entry) for entry in value]
    if isinstance(value, dict):
        return {name: item if name == "values" else _coloured(item) for name, item in value.items()}
    return value


@cache
def _colours() -> dict[str, str]:
    style = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    colours: dict[str, str] = {}
    for name, colour in re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", style):
        colours.setdefault(name, colour)
    return colours
