{# The released rows of a full-domain generalization, in an order that only a secret salt knows: of
   the one table, or of one of several.
   grain: one row per released row
   in: source, attributes, released (the columns of the release in order: kind 'label', 'lo', 'hi'
       or 'kept', which may be replaced), dim_<index>, levels {index: level}, kept_classes (c1 …, n,
       ok) when rows are suppressed, masked (whether those stay as *), links (position in released:
       the column, and the table of the surrogates of its values: keys and references of several
       tables), salted (by fresh_salt, else the engine's own random order), ordering
   out: the released columns and the ordering #}
{% from 'release/macros.sql' import kept, replacement %}
SELECT
{% for r in released %}
    {% if r.position in links %}
    k{{ r.position | integer }}.surrogate AS {{ r.name | ident }},
    {% elif r.replaced %}
    {{ replacement(r, ['s', r.column.name], ['x', 'n'] if masked else none) }}
        AS {{ r.name | ident }},
    {% elif r.kind == 'kept' %}
    {% if masked and r.hidden %}CASE WHEN x.n IS NOT NULL THEN{% endif +%}
        {{ kept(r) }}
    {% if masked and r.hidden %}END{% endif %} AS {{ r.name | ident }},
    {% else %}
    {% set level = levels[r.attribute.index] %}
    {% if masked %}
    CASE WHEN x.n IS NULL THEN {% if r.kind == 'label' %}'*'{% else %}NULL{% endif %} ELSE
    {% endif %}
    {% if r.kind != 'label' %}
    d{{ r.attribute.index | integer }}.{{ (r.kind ~ level) | ident }}
    {% elif r.attribute.null_labels is not none and r.attribute.null_labels[level] is not none %}
    COALESCE(d{{ r.attribute.index | integer }}.v{{ level | integer }},
        {{ r.attribute.null_labels[level] | literal }})
    {% else %}
    d{{ r.attribute.index | integer }}.v{{ level | integer }}
    {% endif %}
    {% if masked %}END{% endif %} AS {{ r.name | ident }},
    {% endif %}
{% endfor %}
    {% if salted %}
    MD5((SELECT z.salt FROM fresh_salt AS z) || CAST(ROW_NUMBER() OVER () AS VARCHAR)) COLLATE "C"
    {% else %}
    RANDOM()
    {% endif %}
    AS {{ ordering | ident }}
FROM {{ source | ident }} AS s
{% for position in links %}
JOIN {{ links[position].table | ident }} AS k{{ position | integer }}
    ON k{{ position | integer }}.value = {{ links[position] | value('s') }}
{% endfor %}
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
{% if kept_classes %}
{% if masked %}LEFT {% endif %}JOIN {{ kept_classes | ident }} AS x
    ON x.ok
{% for a in attributes %}
    AND x.c# = COALESCE(d#.g{{ levels[a.index] | integer }}, 0)
{% endfor %}
{% endif %}
