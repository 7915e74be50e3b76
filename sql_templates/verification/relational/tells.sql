{# What rows of other tables tell of a sensitive column, and its own rows: the value of the row that
   they belong to, or those of the rows that belong to them, -1 where there are none.
   grain: one row per row and value
   in: tellers (tables on one chain with the column's: number, depth), depth (of the column's
       table), secrets (see verification/relational/secrets), verified_<number>
   out: a SELECT of (me: the row, as verification/relational/knowable has it, code) #}
{% for each in tellers %}
{% if each.depth < depth %}
SELECT DISTINCT v.b{{ each.depth | integer }} AS me,
    CASE WHEN w.person IS NULL THEN -1 ELSE w.code END AS code
FROM {{ ('verified_' ~ each.number) | ident }} AS v
LEFT JOIN secrets AS w ON w.b{{ each.depth | integer }} = v.b{{ each.depth | integer }}
{% else %}
SELECT v.b{{ each.depth | integer }} AS me, w.code
FROM {{ ('verified_' ~ each.number) | ident }} AS v
JOIN secrets AS w ON w.b{{ depth | integer }} = v.b{{ depth | integer }}
{% endif %}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
