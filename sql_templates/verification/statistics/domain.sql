{# The cells of a public domain by labels: all combinations that hierarchies allow, with what was
   counted anew, 0 where nobody is.
   grain: one row per vector of levels and labels of the table's dimensions
   in: recounted (a table), dim_<index>, all_attributes, vectors (the level of every
       dimension by its index, its height for the top), sums, name
   out: the table `name` (the columns of recounted) #}
{% from 'verification/statistics/macros.sql' import key %}
CREATE TABLE {{ name | ident }} AS
SELECT
    {{ all_attributes | each('d.k#, d.l#,') }}
    COALESCE(r.people, 0) AS people,
    {{ sums | each('COALESCE(r.m#, 0) AS m#,') }}
    COALESCE(r.n, 0) AS n
FROM (
{% for vector in vectors %}
    SELECT
    {% for a in all_attributes %}
        {% if vector[a.index] == a.height %}
        '*' AS k#,
        {% else %}
        g#.k AS k#,
        {% endif %}
        CAST({{ vector[a.index] | integer }} AS BIGINT) AS l#{% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM (SELECT 1 AS x) AS o
    {% for a in all_attributes %}
    {% if vector[a.index] != a.height %}
    CROSS JOIN (
        SELECT DISTINCT {{ key(['v', 'v' ~ vector[a.index]]) }} AS k FROM dim_# AS v
    ) AS g#
    {% endif %}
    {% endfor %}
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS d
LEFT JOIN {{ recounted | ident }} AS r
    ON {{ all_attributes | each('r.l# = d.l# AND r.k# = d.k#', ' AND ') }}
