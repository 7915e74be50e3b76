{# Keeps the planner from putting a subquery's expressions into the place of each use of them: a
   hash that a dozen others are computed from is computed once a row.
   out: the end of a subquery #}
OFFSET 0
