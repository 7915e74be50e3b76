{# Two values of each column that cut its rows in two: the one that has about half of the rows up to
   it, and the most frequent one. They depend on no order of rows.
   grain: one row
   in: table, values (index, name, text: see macros), rows (how many the table has)
   out: a SELECT of (middle<index>, mode<index>) #}
{% from 'verification/order/macros.sql' import ordered %}
SELECT
{% for v in values %}
    {{ v | sql('q#.middle AS middle#, q#.mode AS mode#') }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM
{% for v in values %}
    (
        SELECT
            MAX(CASE WHEN g.near = 1 THEN g.v END) AS middle,
            MAX(CASE WHEN g.most = 1 THEN g.v END) AS mode
        FROM (
            SELECT
                u.v,
                ROW_NUMBER() OVER (
                    ORDER BY ABS(2 * u.upto - {{ rows | integer }}) NULLS FIRST, u.v NULLS FIRST
                ) AS near,
                ROW_NUMBER() OVER (ORDER BY u.n DESC NULLS LAST, u.v NULLS FIRST) AS most
            FROM (
                SELECT
                    c.v,
                    c.n,
                    CAST(SUM(c.n) OVER (
                        ORDER BY c.v NULLS FIRST ROWS UNBOUNDED PRECEDING
                    ) AS BIGINT) AS upto
                FROM (
                    SELECT {{ ordered(v) }} AS v, COUNT(*) AS n
                    FROM {{ table | ident }} AS r
                    GROUP BY {{ ordered(v) }}
                ) AS c
            ) AS u
        ) AS g
    ) AS q{{ v.index | integer }}{% if not loop.last %} CROSS JOIN{% endif +%}
{% endfor %}
