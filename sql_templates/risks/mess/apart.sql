{# How often columns of numbers, or of days, have values that may mean that none is known. What is
   infinite, or beyond 1e30, is left out.
   grain: one row per column, in order; none without rows
   in: relation, columns (of numbers, or of dates and timestamps), weight (a column that counts rows,
       or none), candidates (such values; days are counted from 1970 on), least and most (the ends
       of what is usual)
   out: (position, least and greatest of the other values, rows below and above what is usual, for
       each candidate how many rows have it) #}
SELECT
    n.position,
    MIN(CASE WHEN n.x NOT IN ({{ candidates | literals }}) THEN n.x END) AS least,
    MAX(CASE WHEN n.x NOT IN ({{ candidates | literals }}) THEN n.x END) AS most,
    COALESCE(CAST(SUM(CASE WHEN n.x < {{ least | integer }} THEN n.often END) AS BIGINT), 0)
        AS below,
    COALESCE(CAST(SUM(CASE WHEN n.x > {{ most | integer }} THEN n.often END) AS BIGINT), 0)
        AS above
    {% for candidate in candidates %}
    , COALESCE(CAST(SUM(CASE WHEN n.x = {{ candidate | integer }} THEN n.often END) AS BIGINT), 0)
        AS {{ ('n' ~ loop.index) | ident }}
    {% endfor %}
FROM (
    {% for column in columns %}
    SELECT
        {{ loop.index | integer }} AS position,
        {% if column.kind in ('date', 'timestamp') %}
        CAST(DATE_DIFF('day', CAST('1970-01-01' AS DATE), CASE
            WHEN CAST(s.{{ column.name | ident }} AS DATE) BETWEEN CAST('0001-01-01' AS DATE)
                AND CAST('9999-12-31' AS DATE) THEN CAST(s.{{ column.name | ident }} AS DATE) END
        ) AS DOUBLE) AS x,
        {% else %}
        CASE
            WHEN s.{{ column.name | ident }} BETWEEN -1e30 AND 1e30
                THEN CAST(s.{{ column.name | ident }} AS DOUBLE)
        END AS x,
        {% endif %}
        {% if weight %}SUM(s.{{ weight | ident }}){% else %}COUNT(*){% endif %} AS often
    FROM {{ relation | ident }} AS s
    {% if weight %}
    WHERE s.{{ weight | ident }} > 0
    {% endif %}
    GROUP BY s.{{ column.name | ident }}
    {% if not loop.last %}UNION ALL{% endif +%}
    {% endfor %}
) AS n
GROUP BY n.position
ORDER BY position
