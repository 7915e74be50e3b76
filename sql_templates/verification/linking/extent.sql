{# How much the released values of each column leave open.
   grain: one row per attribute
   in: covers_<index>, judged_tuples, judged_cells, attributes
   out: (attribute, pairs of a tuple and a combination of the source that agree in it) #}
SELECT x.attribute, x.pairs
FROM (
{% for a in attributes %}
    SELECT
        # AS attribute,
        COALESCE(SUM(CAST(t.n AS DOUBLE) * c.n), 0) AS pairs
    FROM covers_# AS k
    LEFT JOIN (
        SELECT u.v# AS value, COUNT(*) AS n FROM judged_tuples AS u GROUP BY u.v#
    ) AS t ON t.value = k.label
    LEFT JOIN (
        SELECT u.v# AS code, COUNT(*) AS n FROM judged_cells AS u GROUP BY u.v#
    ) AS c ON c.code = k.code
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS x
ORDER BY x.pairs, x.attribute
