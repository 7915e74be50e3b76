{# Who is counted.
   grain: one row
   in: combinations, entity (whether people are named)
   out: people, combinations of which each has one person, rows of nobody #}
SELECT
{% if entity %}
    CAST(COUNT(DISTINCT t.e) AS BIGINT) AS people,
    CAST(COUNT(t.e) AS BIGINT) AS entries,
    CAST(COALESCE(SUM(CASE WHEN t.e IS NULL THEN t.n END), 0) AS BIGINT) AS nobody
{% else %}
    CAST(COALESCE(SUM(t.n), 0) AS BIGINT) AS people,
    CAST(COALESCE(SUM(t.n), 0) AS BIGINT) AS entries,
    CAST(0 AS BIGINT) AS nobody
{% endif %}
FROM combinations AS t
