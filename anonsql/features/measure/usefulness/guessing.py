"""What a release lets guess of the people in it.

Of each quasi-identifying column: somebody knows a person's other quasi-identifying columns (by
their bins), takes the completed rows of all draws that agree in them, and guesses the value (bin)
that most of these have; where none agrees, the most frequent one of all. The share of the source's
rows that are guessed rightly so is told beside three others: that of whoever says the most frequent
value for everybody; that of the same guesses by the source itself, which nobody exceeds; and by the
source without the row that is guessed, which is what the table tells of people who are not in it. A
release that lets guess more than this last one tells something of the very people in it.
"""

from __future__ import annotations

from anonsql.features.measure.usefulness.coding import CodedTables
from anonsql.features.measure.usefulness.document import AttributeRisk
from anonsql.jobs.job import Progress
from anonsql.system.numbers import rounded


def attribute_risks(tables: CodedTables, progress: Progress) -> list[AttributeRisk]:
    """Return how often the value of each quasi-identifying column is guessed rightly; none where
    there is a single one."""
    known = [column for column in tables.columns if column.known]
    if len(known) < 2:
        return []
    tables.engine.drop("useful_people")
    tables.engine.run("features/measure/usefulness/people", columns=known)
    result = []
    for position, column in enumerate(known):
        progress("usefulness: guesses", position, len(known))
        usual, released = tables.usual(column)
        ((by_draws, by_source, by_others),) = tables.engine.query(
            "features/measure/usefulness/guesses",
            a=column,
            others=[other for other in known if other.index != column.index],
            usual=usual,
            usual_released=released,
        )
        result.append(
            AttributeRisk(
                column=column.name,
                usual=rounded(int(tables.counts(column)[0].max()) / tables.rows),
                held_out=rounded(int(by_others) / tables.rows),
                release=rounded(int(by_draws) / tables.rows),
                source=rounded(int(by_source) / tables.rows),
            )
        )
    tables.engine.drop("useful_people")
    return result
