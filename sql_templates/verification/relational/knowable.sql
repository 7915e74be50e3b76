{# What may be known of people besides their own rows. Of rows that nothing tells apart only as many
   as may be known.
   grain: one row per row below people
   in: below (all tables below that of people: number, depth), depth (the greatest), tables (how
       many), known_rows, shapes (whether trees below rows are known), verified_<number>,
       shape_<number> (see verification/relational/shapes)
   out: a SELECT of (person, kind: which table's row and how it looks, me, floor: depth of the row,
        b1 …) #}
{% for t in below %}
SELECT k.person, k.looks * {{ tables | integer }} + {{ t.number | integer }} AS kind,
    k.b{{ t.depth | integer }} AS me, {{ t.depth | integer }} AS floor
    {% for place in range(1, depth + 1) %}
    , {% if place <= t.depth %}k.b{{ place | integer }}{% else %}CAST(NULL AS BIGINT){% endif %}
        AS b{{ place | integer }}
    {% endfor %}
FROM (
    SELECT v.*,
        {% if shapes %}s.shape{% else %}v.alike{% endif %} AS looks,
        ROW_NUMBER() OVER (PARTITION BY v.parent, v.alike ORDER BY v.id NULLS FIRST) AS copy
    FROM {{ ('verified_' ~ t.number) | ident }} AS v
    {% if shapes %}
    JOIN {{ ('shape_' ~ t.number) | ident }} AS s ON s.id = v.id
    {% endif %}
) AS k
WHERE k.copy <= {{ known_rows | integer }}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
