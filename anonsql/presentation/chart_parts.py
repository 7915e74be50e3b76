"""Specifications of charts (Vega-Lite) for pages."""

from __future__ import annotations

from typing import Any

from anonsql.presentation.tree import Chart, Figures, Reader

Spec = dict[str, Any]


def chart(
    name: str, title: str, says: str, spec: Spec, figures: Figures, *, on: Reader = "all"
) -> Chart:
    """Return a chart that is as wide as its place."""
    whole = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}, **spec}
    return Chart(name=name, title=title, says=says, spec=whole, figures=figures, on=on)


def axis(title: str | None, form: str | None = None, **more: Any) -> Spec:
    """Return an axis with a title, its numbers in a form of d3."""
    return {"title": title, **({"format": form} if form else {}), **more}
