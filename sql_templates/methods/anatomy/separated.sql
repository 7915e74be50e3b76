{# Every row of the source as it is to be released, with its sensitive value and its group. Rows are
   dealt to heaps in the order of their sensitive values, the commonest first, and heaps put
   together to groups (anonsql.methods.anatomy). A secret salt gives equal values a random order,
   and groups numbers that tell nothing of it.
   grain: one row per source row
   in: source, released (see release/rows), dim_<index>, attributes, a (the sensitive column),
       values_<index> of it, heaps, groups (how many there are to be), group (the position of the
       group's number), fresh_salt
   out: table separated(r<position> …, c1 … cn, s: the sensitive value) #}
CREATE TABLE separated AS
WITH coded AS (
    SELECT
    {% for r in released if r.kind != 'group' %}
        {% if r.kind == 'kept' %}
        {% if not r.replaced and r.column.type != r.type %}
        CAST(o.{{ r.column.name | ident }} AS {{ r.type | sql_type }})
        {% else %}
        o.{{ r.column.name | ident }}
        {% endif %}
        AS r{{ r.position | integer }},
        {% elif r.kind == 'label' %}
        d{{ r.attribute.index | integer }}.v0 AS r{{ r.position | integer }},
        {% else %}
        d{{ r.attribute.index | integer }}.{{ (r.kind ~ 0) | ident }}
            AS r{{ r.position | integer }},
        {% endif %}
    {% endfor %}
        {{ attributes | each('COALESCE(d#.code, 0) AS c#,') }}
        {{ a | value('o') }} AS s,
        COALESCE(v.code, 0) AS value_code,
        MD5((SELECT z.salt FROM fresh_salt AS z) || CAST(ROW_NUMBER() OVER () AS VARCHAR)) AS chance
    FROM {{ source | ident }} AS o
    {{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(o)') }}
    LEFT JOIN values_# AS v
        ON v.value = {{ a | value('o') }}
),
counted AS (
    SELECT c.*, COUNT(*) OVER (PARTITION BY c.value_code) AS value_rows
    FROM coded AS c
),
dealt AS (
    SELECT
        u.*,
        ((ROW_NUMBER() OVER (
            ORDER BY u.value_rows DESC NULLS LAST,
                MD5((SELECT z.salt FROM fresh_salt AS z) || 'value'
                || CAST(u.value_code AS VARCHAR)) NULLS FIRST, u.chance NULLS FIRST
        ) - 1) % {{ heaps | integer }}) % {{ groups | integer }} AS heap
    FROM counted AS u
)
SELECT
{% for r in released if r.kind != 'group' %}
    t.r{{ r.position | integer }},
{% endfor %}
    {{ attributes | each('t.c#,') }}
    t.s,
    CAST(DENSE_RANK() OVER (
        ORDER BY MD5((SELECT z.salt FROM fresh_salt AS z) || 'group'
            || CAST(t.heap AS VARCHAR)) NULLS FIRST, t.heap NULLS FIRST
    ) AS BIGINT) AS r{{ group | integer }}
FROM dealt AS t
