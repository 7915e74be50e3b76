{# The rows of a completed table, draw by draw, sorted by what they hold.
   grain: one row per draw and released row
   in: see completion/completed; sorted (its columns, see release/macros)
   out: draw, and the columns #}
{% from 'release/macros.sql' import keys %}
SELECT r.*
FROM (
    {% include 'completion/completed.sql' %}
) AS r
ORDER BY {{ keys(sorted) }}
