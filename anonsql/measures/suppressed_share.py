"""The share of the rows that are suppressed."""

from anonsql.measures.base import Measure

SUPPRESSED_SHARE = Measure(
    "suppressed_share",
    "suppressed rows / all rows; 0 is best",
    lambda figures: figures.suppressed / figures.rows,
)
