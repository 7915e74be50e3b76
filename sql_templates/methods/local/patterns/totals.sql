{# grain: one row
   in: combinations, attributes, semi
   out: (rows, distinct combinations, for each attribute the rows in which it is NULL and not
       withheld) #}
SELECT
    CAST(COALESCE(SUM(t.n), 0) AS BIGINT) AS total,
    CAST(COUNT(*) AS BIGINT) AS combinations
{% for a in attributes %}
    , CAST(COALESCE(SUM(CASE
        WHEN t.q# IS NULL{% if a in semi %}
            AND t.w# = 0{% endif %} THEN t.n END),
            0) AS BIGINT) AS nulls#
{% endfor %}
FROM combinations AS t
