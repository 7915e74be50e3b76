{# The marked rows that are released, each with the codes of its cells, its group, and what buckets are to be made of.
   grain: one row per released row
   in: marked, patterns, dim_<index>, assigned, groups, attributes, semi, kept, bucketized, salt (secret: gives groups numbers that
       tell nothing)
   out: table local_rows(c1 … cn, grp, group_id, k1 …, w<index> of the bucketized columns: 1 where withheld, s<index>: the values) #}
CREATE TABLE local_rows AS
SELECT
{% for a in attributes %}
    o.c{{ a.index | integer }},
{% endfor %}
    g.grp,
    g.group_id
{% for column in kept %}
    , o.k{{ loop.index | integer }}
{% endfor %}
{% for b in bucketized %}
    , o.w{{ b.index | integer }}
    , o.s{{ b.index | integer }}
{% endfor %}
FROM (
    {% with anew = false %}{% include 'patterns/coded.sql' %}{% endwith +%}
) AS o
JOIN assigned AS y
    ON {% for a in attributes %}y.c{{ a.index | integer }} = o.c{{ a.index | integer }}{% if not loop.last %} AND {% endif %}{% endfor +%}
JOIN (
    SELECT x.grp, ROW_NUMBER() OVER (ORDER BY MD5({{ salt | literal }} || 'group' || CAST(x.grp AS VARCHAR)) NULLS FIRST) AS group_id
    FROM groups AS x
) AS g ON g.grp = y.grp
