{# How many released rows and people have each value of each generalized column.
   grain: one row per column and value
   in: attributes, person (see release/marginals/rows), k, marginal_rows
   out: table marginal_counts(number: index of the column, code, n: rows, people, few: 1 where too
       few people have it) #}
CREATE TABLE marginal_counts AS
SELECT
    t.number, t.code, t.n, t.people,
    CASE WHEN t.people < {{ k | integer }} THEN 1 ELSE 0 END AS few
FROM (
{% for a in attributes %}
    SELECT
        # AS number,
        r.c# AS code,
        COUNT(*) AS n,
        COUNT({% if person %}DISTINCT r.person{% else %}*{% endif %}) AS people
    FROM marginal_rows AS r
    GROUP BY r.c#
    {% if not loop.last %}
    UNION ALL
    {% endif %}
{% endfor %}
) AS t
