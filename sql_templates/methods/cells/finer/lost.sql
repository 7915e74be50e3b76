{# What groups of cells lose.
   grain: one row
   in: regions (table: grp, n, l1 … ln levels, g1 … gn codes at these levels), nodes, attributes,
       shares {index: what losing the attribute wholly costs a row, in billionths of the row's whole
       loss}
   out: (their rows, their loss in billionths of a row) #}
SELECT
    CAST(COALESCE(SUM(r.n), 0) AS BIGINT) AS released,
    CAST(COALESCE(SUM(r.n * (
    {% for a in attributes %}
        CAST(FLOOR(CAST(t#.leaves - 1 AS DOUBLE) * {{ shares[a.index] | integer }}
            / GREATEST(t#.domain - 1, 1) + 0.5) AS BIGINT)
        {% if not loop.last %}+{% endif +%}
    {% endfor %}
    )), 0) AS BIGINT) AS lost
FROM {{ regions | ident }} AS r
{% for a in attributes %}
JOIN nodes AS t# ON t#.attribute = # AND t#.level = r.l# AND t#.code = r.g#
{% endfor %}
