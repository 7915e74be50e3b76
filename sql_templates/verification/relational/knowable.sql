{# What may be known of people besides their own rows. Of rows that nothing tells apart only as many
   as may be known.
   grain: one row per row below people
   in: below (all tables below that of people: number, depth), depth (the greatest), tables (how
       many), known_rows, shapes (whether trees below rows are known), verified_<number>,
       shape_<number> (see verification/relational/shapes)
   out: a SELECT of (person, kind: which table's row and how it looks, parent, me, floor: depth of
        the row, b1 …) #}
{% from 'verification/relational/macros.sql' import looking %}
{% for t in below %}
SELECT k.person, k.kind, k.parent, k.me, {{ t.depth | integer }} AS floor
    {% for place in range(1, depth + 1) %}
    , {% if place <= t.depth %}k.b{{ place | integer }}{% else %}CAST(NULL AS BIGINT){% endif %}
        AS b{{ place | integer }}
    {% endfor %}
FROM (
    SELECT l.*, ROW_NUMBER() OVER (PARTITION BY l.parent, l.kind ORDER BY l.id NULLS FIRST) AS copy
    FROM (
        {{ looking(t, tables, shapes) }}
    ) AS l
) AS k
WHERE k.copy <= {{ known_rows | integer }}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
