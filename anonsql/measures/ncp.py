"""The normalized certainty penalty."""

from anonsql.measures.base import from_method

NCP = from_method(
    "ncp",
    "of local: sum over released cells that are not withheld of width / width of the domain, or"
    " leaves under the released value / leaves of the hierarchy, 0 for a single value (NCP, Li,"
    " He, Sun 2019, 3.2.2); 0 is best",
)
