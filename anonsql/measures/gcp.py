"""The global certainty penalty."""

from anonsql.measures.base import Measure

GCP = Measure(
    "gcp",
    "mean over cells of (data values under the released value - 1) / (data values of the column"
    " - 1); a suppressed cell counts 1; 0 is best",
    lambda figures: figures.penalty,
)
