{# Of a published table how many cells there would be with all combinations of its labels: the
   product of the numbers.
   grain: one row per dimension
   in: table, dimensions
   out: different labels of all levels #}
{% for d in dimensions %}
SELECT CAST(COUNT(*) AS BIGINT) AS labels
FROM (
    SELECT DISTINCT {{ ['t', d] | ident }} AS label, {{ ['t', d ~ '_level'] | ident }} AS of_level
    FROM {{ table | ident }} AS t
) AS o
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
