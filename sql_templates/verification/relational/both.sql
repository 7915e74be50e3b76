{# The rows of a table, those of the source generalized and those that are released, numbered by
   what they hold: by themselves, and with the rows that they refer to. Surrogates hold no more than
   that there is a value.
   grain: one row per row of the source and per released row
   in: source, table, key and reference (columns of the source that are joined by; no reference of
       people and of public tables), named (their names in the table, by the same words; none of
       public tables), upper (the number of the table that is referred to), both_<upper>,
       attributes, dim_<index>, levels, released (see release/rows)
   out: a SELECT of (was: the key in the source, now: the released one, was_of and now_of: the keys
        that it refers to, own: number of what a row holds, whole: of that and all that it refers
        to) #}
{% from 'verification/macros.sql' import compared, expected %}
SELECT
    v.was,
    v.now,
    {% if upper %}v.was_of, v.now_of,{% endif +%}
    {% for above in (false, true) %}
    {% if released or (above and upper) %}
    DENSE_RANK() OVER (ORDER BY
        {% if above and upper %}v.above NULLS FIRST{% if released %},{% endif %}{% endif %}
        {{ released | listed('v.r# NULLS FIRST') }})
    {% else %}
    1
    {% endif %}
    AS {% if above %}whole{% else %}own,{% endif +%}
    {% endfor %}
FROM (
    SELECT
        {{ key | value('o') }} AS was,
        CAST(NULL AS BIGINT) AS now,
        {% if upper %}
        u.was AS was_of, CAST(NULL AS BIGINT) AS now_of, u.whole AS above
        {% else %}
        CAST(0 AS BIGINT) AS above
        {% endif %}
        {% for r in released %}
        ,
        {% if r.replaced == 'surrogate' %}
        CASE WHEN {{ ['o', r.column.name] | ident }} IS NULL THEN 0 ELSE 1 END
        {% elif r.kind == 'kept' %}
        {{ expected(r, ['o', r.column.name]) }}
        {% elif r.kind == 'label' %}
        {% with a = r.attribute, side = 'o', level = levels[r.attribute.index] %}
        {% include 'verification/label.sql' %}
        {% endwith %}
        {% else %}
        {{ compared(r, ['h' ~ r.attribute.index, r.kind ~ levels[r.attribute.index]]) }}
        {% endif +%}
        AS r{{ r.position | integer }}
        {% endfor %}
    FROM {{ source | ident }} AS o
    {% if upper %}
    JOIN {{ ('both_' ~ upper) | ident }} AS u ON u.was = {{ reference | value('o') }}
    {% endif %}
    {% for a in attributes %}
    LEFT JOIN dim_# AS h# ON {{ a | value('o') }} = h#.value
    {% endfor %}
    UNION ALL
    SELECT
        NULL,
        {% if named %}CAST(p.{{ named.key | ident }} AS BIGINT){% else %}1{% endif %},
        {% if upper %}NULL, u.now, u.whole{% else %}0{% endif +%}
        {% for r in released %}
        ,
        {% if r.replaced == 'surrogate' %}
        CASE WHEN {{ ['p', r.name] | ident }} IS NULL THEN 0 ELSE 1 END
        {% else %}
        {{ compared(r, ['p', r.name]) }}
        {% endif %}
        {% endfor %}
    FROM {{ table | ident }} AS p
    {% if upper %}
    JOIN {{ ('both_' ~ upper) | ident }} AS u
        ON u.now = CAST(p.{{ named.reference | ident }} AS BIGINT)
    {% endif %}
) AS v
