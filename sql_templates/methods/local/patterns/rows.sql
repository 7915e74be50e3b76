{# The marked rows that are released, each with the codes of its cells, its group, and what buckets
   are to be made of.
   grain: one row per released row
   in: what methods/local/patterns/coded takes, assigned, groups, hidden (whether there are hidden
       cells, which
       are in no bucket), fresh_salt (gives groups numbers that tell nothing)
   out: table local_rows(c1 … cn, pattern and lent of the row, grp, group_id, k1 …, w<index> of the
       bucketized columns: 1 where withheld, s<index>: the values, those of hidden cells too) #}
CREATE TABLE local_rows AS
SELECT
    {{ attributes | each('o.c#,') }}
    o.pattern, o.lent, g.grp, g.group_id
    {{ kept | each(', o.k$') }}
{% for a in bucketized %}
    {% if hidden and withheld[a.index] %}
    , CASE WHEN z.h{{ withheld[a.index] | integer }} = 1 THEN 0 ELSE o.w# END AS w#
    {% else %}
    , o.w#
    {% endif %}
    , o.s#
{% endfor %}
FROM (
    {% include 'methods/local/patterns/coded.sql' %}
) AS o
JOIN assigned AS y
    ON {{ attributes | each('y.c# = o.c#', ' AND ') }}
JOIN (
    SELECT
        x.grp,
        ROW_NUMBER() OVER (ORDER BY MD5(
            (SELECT z.salt FROM fresh_salt AS z) || 'group' || CAST(x.grp AS VARCHAR)
        ) NULLS FIRST) AS group_id
    FROM groups AS x
) AS g ON g.grp = y.grp
{% if hidden %}
LEFT JOIN hidden AS z ON z.grp = y.grp
{% endif %}
