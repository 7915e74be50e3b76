{# The cells of a domain by labels: all combinations that hierarchies allow, or of labels that
   somebody has, with what was counted anew, 0 where nobody is.
   grain: one row per vector of levels and labels of the table's dimensions
   in: recounted (a table), rows (labelled, or gathered: whose labels there are; none for those of
       the hierarchies, dim_<index>), all_attributes, vectors (the level of every
       dimension by its index, its height for the top), ranked (how many of the largest contributors
       count), named (whether the only person of a cell is asked for), exclusive
       (whether people in one combination alone are), sums, name
   out: the table `name` (the columns of recounted) #}
{% from 'verification/statistics/macros.sql' import key %}
CREATE TABLE {{ name | ident }} AS
SELECT
    {{ all_attributes | each('d.k#, d.l#,') }}
    COALESCE(r.people, 0) AS people,
    {% if named %}
    r.e,
    {% endif %}
    {% if ranked %}
    {{ sums | each('COALESCE(r.a#, 0) AS a#, COALESCE(r.t#, 0) AS t#,') }}
    {{ sums | each('COALESCE(r.x#, 0) AS x#, COALESCE(r.y#, 0) AS y#,') }}
    {% endif %}
    {{ sums | each('COALESCE(r.m#, 0) AS m#,') }}
    {% if exclusive %}
    COALESCE(r.exclusive, 0) AS exclusive,
    {% endif %}
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
    FROM {% if rows is none %}(SELECT 1 AS x){% else %}(SELECT DISTINCT 1 AS x FROM {{ rows | ident }} AS b){% endif %} AS o
    {% for a in all_attributes %}
    {% if vector[a.index] != a.height %}
    CROSS JOIN (
        {% if rows is none %}
        SELECT DISTINCT {{ key(['v', 'v' ~ vector[a.index]]) }} AS k FROM dim_# AS v
        {% else %}
        SELECT DISTINCT {{ ['b', 'k' ~ a.index ~ '_' ~ vector[a.index]] | ident }} AS k
        FROM {{ rows | ident }} AS b
        {% endif %}
    ) AS g#
    {% endif %}
    {% endfor %}
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS d
LEFT JOIN {{ recounted | ident }} AS r
    ON {{ all_attributes | each('r.l# = d.l# AND r.k# = d.k#', ' AND ') }}
