{# The sums that the correlations of a column of numbers or dates with others are computed from, in
   the first rows that the engine delivers.
   grain: one row per other column, in order
   in: relation, first (a column), others (columns), most (rows), apart (by column: values that stand
       apart and are left out, as numbers)
   out: (position, rows with both, sum of the first, of the other, of the first's squares, of the
       other's, of the products); dates are days from 1970 on,
       numbers whose squares no double holds are 0 or left out #}
{% macro as_number(name, kind) %}
{% if kind in ('date', 'timestamp') %}
CAST(DATE_DIFF('day', CAST('1970-01-01' AS DATE), CASE
    WHEN CAST(t.{{ name | ident }} AS DATE) BETWEEN CAST('0001-01-01' AS DATE)
        AND CAST('9999-12-31' AS DATE) THEN CAST(t.{{ name | ident }} AS DATE) END) AS DOUBLE)
{% else %}
CASE
    WHEN t.{{ name | ident }} BETWEEN -1e-30 AND 1e-30 THEN CAST(0 AS DOUBLE)
    WHEN t.{{ name | ident }} BETWEEN -1e30 AND 1e30 THEN CAST(t.{{ name | ident }} AS DOUBLE)
    END
{% endif %}
{% endmacro %}
{% for other in others %}
SELECT
    {{ loop.index | integer }} AS position,
    COUNT(*) AS n,
    SUM(s.x) AS sum_x,
    SUM(s.y) AS sum_y,
    SUM(s.x * s.x) AS sum_xx,
    SUM(s.y * s.y) AS sum_yy,
    SUM(s.x * s.y) AS sum_xy
FROM (
    SELECT
        {{ as_number(first.name, first.kind) }} AS x,
        {{ as_number(other.name, other.kind) }} AS y
    FROM {{ relation | ident }} AS t
    LIMIT {{ most | integer }}
) AS s
WHERE s.x IS NOT NULL AND s.y IS NOT NULL
    {% if first.name in apart %}
    AND s.x NOT IN ({{ apart[first.name] | literals }})
    {% endif %}
    {% if other.name in apart %}
    AND s.y NOT IN ({{ apart[other.name] | literals }})
    {% endif %}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
ORDER BY position
