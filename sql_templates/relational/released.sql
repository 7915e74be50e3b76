{# The released rows of a table, in an order that only a secret salt knows.
   grain: one row per released row
   in: source, attributes, released (the columns in order), dim_<index>, levels {index: level},
       links (position in released: the column, and the table of the surrogates of its values: keys
       and references), fresh_salt, ordering
   out: the released columns and the ordering #}
{% from 'release/macros.sql' import kept, replacement %}
SELECT
{% for r in released %}
    {% if r.position in links %}
    k{{ r.position | integer }}.surrogate AS {{ r.name | ident }},
    {% elif r.replaced %}
    {{ replacement(r, ['s', r.column.name], none) }} AS {{ r.name | ident }},
    {% elif r.kind == 'kept' %}
    {{ kept(r) }} AS {{ r.name | ident }},
    {% else %}
    {% set level = levels[r.attribute.index] %}
    {% if r.kind != 'label' %}
    d{{ r.attribute.index | integer }}.{{ (r.kind ~ level) | ident }}
    {% elif r.attribute.null_labels is not none and r.attribute.null_labels[level] is not none %}
    COALESCE(d{{ r.attribute.index | integer }}.v{{ level | integer }},
        {{ r.attribute.null_labels[level] | literal }})
    {% else %}
    d{{ r.attribute.index | integer }}.v{{ level | integer }}
    {% endif %}
    AS {{ r.name | ident }},
    {% endif %}
{% endfor %}
    MD5((SELECT z.salt FROM fresh_salt AS z) || CAST(ROW_NUMBER() OVER () AS VARCHAR)) COLLATE "C"
        AS {{ ordering | ident }}
FROM {{ source | ident }} AS s
{% for position in links %}
JOIN {{ links[position].table | ident }} AS k{{ position | integer }}
    ON k{{ position | integer }}.value = {{ links[position] | value('s') }}
{% endfor %}
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
