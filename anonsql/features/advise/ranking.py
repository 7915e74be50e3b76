"""What choices are ranked by: whoever counts, compares means or fits models needs other things of a
release."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from anonsql.features.advise.document import AdviceLine, Purpose


@dataclass(frozen=True)
class Ranking:
    """How choices are ranked for a purpose: ``by`` what, in words; the ``figure`` of a choice, the
    less the better, None where it has none; the ``heading`` of it, ``number`` and ``words`` for it,
    and ``praise`` of the choice that has the least, in which it is filled in."""

    by: str
    heading: str
    figure: Callable[[AdviceLine], float | None]
    number: Callable[[float], str]
    words: str
    praise: str

    def of(self, line: AdviceLine) -> float:
        """Return the figure of a choice, infinite where it has none."""
        figure = self.figure(line)
        return math.inf if figure is None else figure

    def says(self, line: AdviceLine) -> str:
        """Return the figure of a choice in words: `off by 3.1%`."""
        return self.words.format(self.number(self.of(line)))

    def praises(self, line: AdviceLine) -> str:
        """Return what is best about a choice."""
        return self.praise.format(self.number(self.of(line)))


def share(value: float) -> str:
    """Return a share or a relative error in percent."""
    return f"{value:.1%}" if value < 10 else ">1000%"


COUNTS = Ranking(
    "the median error of COUNT queries",
    "error",
    lambda line: line.error.median if line.error is not None else None,
    share,
    "off by {}",
    "it answers queries best: half of them are off by {} at most",
)
_MEANS = Ranking(
    "the error of means by group, in standard deviations, averaged over groups",
    "means",
    lambda line: (
        line.usefulness.group_means.mean
        if line.usefulness is not None and line.usefulness.group_means is not None
        else None
    ),
    "{:.3f}".format,
    "off by {} standard deviations",
    "its means by group are best: off by {} standard deviations on average",
)
_ROWS = Ranking(
    "how well a model tells its rows from those of the source (pMSE of pairs of columns, times what"
    " two random halves of the source give)",
    "pMSE",
    lambda line: (
        line.usefulness.propensity.ratio
        if line.usefulness is not None and line.usefulness.propensity is not None
        else None
    ),
    "{:,.1f}".format,
    "at a pMSE ratio of {}",
    "its rows are hardest to tell from the source's: a pMSE ratio of {}",
)


def ranking_of(purpose: Purpose, target: str | None) -> Ranking:
    """Return what choices are ranked by. Models are told by a regression of the ``target``, and
    where none is named, by propensity scores."""
    if purpose == "counts":
        return COUNTS
    if purpose == "means":
        return _MEANS
    if target is None:
        return _ROWS
    return Ranking(
        f"how far the 95 % intervals of a regression of {target} overlap those of the source",
        "overlap",
        lambda line: (
            1 - line.usefulness.target.overlap
            if line.usefulness is not None and line.usefulness.target is not None
            else None
        ),
        lambda value: "-" if value == math.inf else f"{1 - value:.1%}",
        "at an overlap of {}",
        f"a regression of {target} is nearest to the source's: their intervals overlap by {{}}",
    )
