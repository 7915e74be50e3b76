{# How many values of each column have each of some forms, how many characters they begin with, and how many have
   a point.
   grain: one row per column, in order
   in: relation, columns, expressions (regular expressions)
   out: (position, different first characters, rows with a point, rows that match: one column
       per expression) #}
{% for column in columns %}
SELECT
    {{ loop.index | integer }} AS position,
    COUNT(DISTINCT LEFT(CAST(s.{{ column.name | ident }} AS VARCHAR), 1)) AS beginnings,
    COUNT(*) FILTER (WHERE CAST(s.{{ column.name | ident }} AS VARCHAR) LIKE '%.%') AS points
    {% for expression in expressions %}
    , COUNT(*) FILTER (WHERE REGEXP_MATCHES(CAST(s.{{ column.name | ident }} AS VARCHAR),
        {{ expression | literal }})) AS {{ ('m' ~ loop.index) | ident }}
    {% endfor %}
FROM {{ relation | ident }} AS s
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
ORDER BY position
