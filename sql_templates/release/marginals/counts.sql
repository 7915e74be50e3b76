{# How many released rows have each value of each generalized column.
   grain: one row per column and value
   in: attributes, k, marginal_rows
   out: table marginal_counts(number: index of the column, code, n: rows, few: 1 where these are
       fewer than k) #}
CREATE TABLE marginal_counts AS
SELECT
    t.number, t.code, t.n, CASE WHEN t.n < {{ k | integer }} THEN 1 ELSE 0 END AS few
FROM (
{% for a in attributes %}
    SELECT
        # AS number,
        r.c# AS code,
        COUNT(*) AS n
    FROM marginal_rows AS r
    GROUP BY r.c#
    {% if not loop.last %}
    UNION ALL
    {% endif %}
{% endfor %}
) AS t
