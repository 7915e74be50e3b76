{# What rows of other tables tell of a sensitive column, and its own rows: the value of the row that
   they belong to, or those of the rows that belong to them, -1 where there are none.
   grain: one row per row and value
   in: tellers (tables on one chain with the column's: number, depth), depth (of the column's
       table), tables (how many), shapes, secrets (see verification/relational/secrets),
       verified_<number>, shape_<number>
   out: a SELECT of (me, parent, kind: see verification/relational/knowable, code) #}
{% from 'verification/relational/macros.sql' import looking %}
{% for each in tellers %}
{% if each.depth < depth %}
SELECT DISTINCT k.me, k.parent, k.kind, CASE WHEN w.person IS NULL THEN -1 ELSE w.code END AS code
{% else %}
SELECT k.me, k.parent, k.kind, w.code
{% endif %}
FROM (
    {{ looking(each, tables, shapes) }}
) AS k
{% if each.depth < depth %}
LEFT JOIN secrets AS w ON w.b{{ each.depth | integer }} = k.me
{% else %}
JOIN secrets AS w ON w.b{{ depth | integer }} = k.b{{ depth | integer }}
{% endif %}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
