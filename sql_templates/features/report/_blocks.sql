-- name: label_counts
{# How many released rows have which label of a column.
   grain: one row per label
   in: table (released rows), labels_<index>(label, word), a (attribute), bucket (the column that is
       known where the label is withheld, or none)
   out: (label, rows); a label that is NULL has the number 0; withheld ones are left out #}
SELECT COALESCE(l#.label, 0) AS label, CAST(COUNT(*) AS BIGINT) AS n
FROM {{ table | ident }} AS r
LEFT JOIN {{ a | sql('labels_# AS l# ON l#.word = CAST(r.@ AS VARCHAR)') }}
{% if bucket %}
WHERE r.{{ bucket | ident }} IS NULL
{% endif %}
GROUP BY COALESCE(l#.label, 0)

-- name: label_totals
{# How many labels a dimension of a published table has, by level.
   grain: one row per level
   in: table, dimension, level (its columns)
   out: (level, different labels, NULL counted in) #}
SELECT g.level, CAST(COUNT(*) AS BIGINT) AS labels
FROM (
    SELECT DISTINCT {{ ['t', level] | ident }} AS level, {{ ['t', dimension] | ident }} AS label
    FROM {{ table | ident }} AS t
) AS g
GROUP BY g.level

-- name: seen_total
{# The total variation distance of a column's distributions in source and release: half the sum of
   the differences of the shares of every value.
   grain: one row
   in: a (coded column), seen_<index>
   out: (distance, NULL where one of them has no row) #}
SELECT SUM(ABS(
    CAST(s.source AS DOUBLE) / CAST(t.source AS DOUBLE) - s.released / t.released
)) / 2 AS distance
FROM seen_# AS s
JOIN (
    SELECT SUM(e.source) AS source, SUM(e.released) AS released FROM seen_# AS e
) AS t ON t.source > 0 AND t.released > 0

-- name: statistics_cells
{# Cells of a published table by two dimensions at certain levels, for a person to try.
   in: table, rows, columns (dimensions; columns none where the table has one), levels {column of
       levels: level}, measure #}
SELECT {{ rows | ident }}, {% if columns %}{{ columns | ident }}, {% endif -%}
    {{ measure | ident }}, {{ (measure ~ '_status') | ident }}
FROM {{ table | ident }}
{% for name, level in levels %}
{% if loop.first %}WHERE{% else %}    AND{% endif %} {{ name | ident }} = {{ level | integer }}
{% endfor %}
ORDER BY {{ rows | ident }}{% if columns %}, {{ columns | ident }}{% endif +%}

-- name: tops
{# The levels of the totals of a published table of statistics.
   grain: one row
   in: table, levels (its columns of levels)
   out: of each the highest level, NULL where the table has no rows #}
SELECT
{% for name in levels %}
    MAX({{ ['t', name] | ident }}) AS {{ ('l' ~ loop.index) | ident }}
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS t
