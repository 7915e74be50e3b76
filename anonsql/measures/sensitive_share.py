"""The greatest share of a sensitive value."""

from anonsql.measures.base import from_method

SENSITIVE_SHARE = from_method(
    "sensitive_share",
    "of anatomy: the greatest share of a sensitive value in a group; 1/l at most, less is better",
)
