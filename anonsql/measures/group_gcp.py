"""The global certainty penalty of groups."""

from anonsql.measures.base import from_method

GROUP_GCP = from_method(
    "group_gcp",
    "of anatomy: gcp as if every row had the values of its whole group, as set (Wong, Mamoulis,"
    " Cheung 2010, 7.4); 0 is best",
)
