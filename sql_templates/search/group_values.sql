{# How the rows with each sensitive value lie in the cells: by the limit to what groups may lose,
   values count that enough rows have.
   grain: one row per cell, column and value
   in: source, attributes, dim_<index>, kept (the sensitive columns, as star/value takes them),
       least
       (rows that a value has)
   out: table group_values(c<index>, number: index of the column, code: of the value, n) #}
CREATE TABLE group_values AS
{% for k in kept %}
SELECT
    {{ attributes | each('q.c#,') }}
    {{ k.index | integer }} AS number, CAST(q.code AS BIGINT) AS code, q.n
FROM (
    SELECT
        g.*,
        SUM(g.n) OVER (PARTITION BY g.v) AS total,
        DENSE_RANK() OVER (ORDER BY g.v NULLS FIRST) AS code
    FROM (
        SELECT
        {% for a in attributes %}
            COALESCE(d#.g{{ a.min_level | integer }}, 0) AS c#,
        {% endfor %}
            {{ k | value('s') }} AS v,
            CAST(COUNT(*) AS BIGINT) AS n
        FROM {{ source | ident }} AS s
        {{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
        GROUP BY
        {% for a in attributes %}
            COALESCE(d#.g{{ a.min_level | integer }}, 0),
        {% endfor %}
            {{ k | value('s') }}
    ) AS g
) AS q
WHERE q.total >= {{ least | integer }}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
