{# The rows of a completed table, draw by draw, in an order that tells nothing.
   grain: one row per draw and released row
   in: see completion/completed
   out: draw, the columns, and the ordering #}
SELECT o.*
FROM (
    {% include 'completion/completed.sql' %}
) AS o
ORDER BY o.{{ draw | ident }}, o.{{ ordering | ident }}
