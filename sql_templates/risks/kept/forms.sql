{# How many values of each column have each of some forms.
   grain: one row per column, in order
   in: relation, columns, expressions (regular expressions)
   out: (position, rows that match, one column per expression) #}
{% for column in columns %}
SELECT
    {{ loop.index | integer }} AS position
    {% for expression in expressions %}
    , COUNT(*) FILTER (WHERE REGEXP_MATCHES(CAST(s.{{ column.name | ident }} AS VARCHAR),
        {{ expression | literal }})) AS {{ ('m' ~ loop.index) | ident }}
    {% endfor %}
FROM {{ relation | ident }} AS s
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
ORDER BY position
