"""Naive Python answers to compare the SQL with: one row at a time, nothing clever."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass


@dataclass
class Oracle:
    """Rows of quasi-identifying values and, by column, value -> labels from level 0 to the top."""

    rows: list[tuple]
    labels: list[dict]

    @property
    def heights(self):
        return [len(next(iter(column.values()))) - 1 for column in self.labels]

    def generalize(self, row, levels):
        return tuple(column[value][level] for column, value, level in zip(self.labels, row, levels))

    def classes(self, levels):
        return Counter(self.generalize(row, levels) for row in self.rows)

    def suppressed(self, levels, k):
        return sum(size for size in self.classes(levels).values() if size < k)

    def lattice(self):
        return itertools.product(*(range(height + 1) for height in self.heights))

    def satisfying(self, k, max_suppressed=0):
        return {levels for levels in self.lattice() if self.suppressed(levels, k) <= max_suppressed}

    def leaves(self, column, level):
        """label -> leaves of the hierarchy under it."""
        return Counter(labels[level] for labels in self.labels[column].values())

    def loss(self, levels, k, weights=None):
        """LM: suppressed cells count 1."""
        weights = weights or [1.0] * len(levels)
        classes = self.classes(levels)
        total = 0.0
        for row in self.rows:
            general = self.generalize(row, levels)
            for column, label in enumerate(general):
                domain = len(self.labels[column])
                under = self.leaves(column, levels[column])[label]
                lost = (under - 1) / (domain - 1) if domain > 1 else 0.0
                total += weights[column] * (lost if classes[general] >= k else 1.0)
        return total / len(self.rows) / sum(weights)

    def precision(self, levels, k):
        classes = self.classes(levels)
        total = 0.0
        for row in self.rows:
            kept = classes[self.generalize(row, levels)] >= k
            total += sum(
                level / height if kept else 1.0 for level, height in zip(levels, self.heights)
            )
        return 1 - total / len(self.rows) / len(levels)

    def discernibility(self, levels, k):
        return sum(
            size * size if size >= k else size * len(self.rows)
            for size in self.classes(levels).values()
        )

    def average_class_size(self, levels, k):
        sizes = [size for size in self.classes(levels).values() if size >= k]
        return sum(sizes) / len(sizes) / k if sizes else float("inf")

    def gcp(self, levels, k):
        """Leaves that the data has; suppressed cells count 1."""
        classes = self.classes(levels)
        present = [{row[column] for row in self.rows} for column in range(len(levels))]
        total = 0.0
        for row in self.rows:
            general = self.generalize(row, levels)
            for column, label in enumerate(general):
                under = sum(
                    self.labels[column][value][levels[column]] == label for value in present[column]
                )
                lost = (under - 1) / (len(present[column]) - 1) if len(present[column]) > 1 else 0.0
                total += lost if classes[general] >= k else 1.0
        return total / len(self.rows) / len(levels)

    def released(self, levels, k):
        """The multiset of released quasi-identifying values."""
        return Counter({label: size for label, size in self.classes(levels).items() if size >= k})
