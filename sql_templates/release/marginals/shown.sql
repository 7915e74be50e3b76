{# The frequencies that are shown, and the remainder of each column.
   grain: one row per column and shown value, and one for the remainder where there is one
   in: attributes, k, marginal_counts, dim_<index>
   out: (column_name, kind, value, rows) #}
WITH hidden AS (
    SELECT
        c.number,
        SUM(c.few) AS different,
        SUM(CASE WHEN c.few = 1 THEN c.n ELSE 0 END) AS n
    FROM marginal_counts AS c
    GROUP BY c.number
),
named AS (
{% for a in attributes %}
    SELECT c.number, c.code, c.n, c.few, {{ a.name | literal }} AS column_name,
        CASE WHEN c.code > 0 THEN CAST(d.v0 AS VARCHAR) END AS value
    FROM marginal_counts AS c
    LEFT JOIN dim_# AS d ON d.code = c.code
    WHERE c.number = #
    {% if not loop.last %}
    UNION ALL
    {% endif %}
{% endfor %}
),
placed AS (
    SELECT
        m.*,
        ROW_NUMBER() OVER (
            PARTITION BY m.number
            ORDER BY
                m.few NULLS FIRST, m.n NULLS FIRST,
                CAST(m.value AS VARCHAR) COLLATE "C" NULLS FIRST
        ) AS place
    FROM named AS m
),
judged AS (
    SELECT
        p.column_name, p.value, p.n,
        CASE
            WHEN p.few = 1 THEN 'others'
            WHEN p.place = 1 AND h.different > 0
                AND (h.different < 2 OR h.n < {{ k | integer }}) THEN 'others'
            WHEN p.code = 0 THEN 'null'
            ELSE 'value'
        END AS kind
    FROM placed AS p
    JOIN hidden AS h ON h.number = p.number
)
SELECT
    j.column_name,
    j.kind,
    CASE WHEN j.kind = 'value' THEN j.value END AS value,
    CAST(SUM(j.n) AS BIGINT) AS {{ 'rows' | ident }}
FROM judged AS j
GROUP BY j.column_name, j.kind, CASE WHEN j.kind = 'value' THEN j.value END
