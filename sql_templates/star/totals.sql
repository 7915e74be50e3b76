{# grain: one row
   in: combinations
   out: rows, distinct combinations, then for each attribute the number of rows in which it is NULL #}
SELECT
    CAST(COALESCE(SUM(t.n), 0) AS BIGINT) AS total,
    CAST(COUNT(*) AS BIGINT) AS combinations
{% for a in attributes %}
    , CAST(COALESCE(SUM(CASE WHEN t.q{{ a.index | integer }} IS NULL THEN t.n END), 0) AS BIGINT) AS nulls{{ a.index | integer }}
{% endfor %}
FROM combinations AS t
