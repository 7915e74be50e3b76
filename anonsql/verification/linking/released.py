"""The parts of a release that are judged, whatever its values look like: labels, levels and
bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.engines.base import Column, ReleaseTables
from anonsql.policy.policy import Policy
from anonsql.verification.facts import count_of, facts_of


@dataclass(frozen=True)
class Released:
    """The parts of a release that are matched with the source. ``labels`` are (attribute's index,
    column, its columns of bounds), ``levels`` the level of each attribute, where the release tells
    one; ``masks`` says whether rows that are * everywhere are masked ones."""

    labels: tuple[tuple[int, str, tuple[Column, ...]], ...]
    texts: frozenset[int]
    levels: dict[int, int]
    masks: bool

    @classmethod
    def of(
        cls, release: ReleaseTables, policy: Policy, attributes: Sequence[tuple[int, str]]
    ) -> Released:
        """Return the parts of a release for some attributes, given by index and name."""
        columns = {column.name: column for column in release.engine.columns(release.rows)}
        stated = release.stated_columns
        levels = {one.name: one.level for one in stated if one.level is not None}
        bounds = {
            own: tuple(
                columns[name]
                for end in ("lo", "hi")
                if (name := f"{own}_{end}") in columns and name not in policy.columns
            )
            for _, own in attributes
        }
        texts = frozenset(index for index, name in attributes if columns[name].type == "VARCHAR")
        return cls(
            labels=tuple((index, name, bounds[name]) for index, name in attributes),
            texts=texts,
            levels={index: levels[name] for index, name in attributes if name in levels},
            masks=len(texts) == len(attributes) and count_of(facts_of(release), "masked") > 0,
        )

    def put_together(
        self, release: ReleaseTables, kept: Sequence[tuple[int, str, str | None]] = ()
    ) -> None:
        """Make the scratch table judged_rows in the release's engine, with ``kept`` columns
        (number, column, type to cast to)."""
        columns = [
            (index, name, [bound.name for bound in bounds], index in self.texts)
            for index, name, bounds in self.labels
        ]
        release.engine.run(
            "verification/linking/rows",
            table=release.rows,
            labels=columns,
            kept=kept,
            masks=self.masks,
        )

    @property
    def values(self) -> list[str]:
        """The columns of released tuples."""
        return [f"v{index}" for index, _, _ in self.labels]


def ends(bounds: Sequence[Column], texts: Sequence[str | None]) -> tuple[str | None, str | None]:
    """Return the texts that go with the bounds columns of a value, the lower one's and the upper
    one's."""
    by_name = {column.name[-3:]: text for column, text in zip(bounds, texts, strict=True)}
    return by_name.get("_lo"), by_name.get("_hi")
