{# The cells of some of an attribute's groups at a level: of every step-th in the order of their
   paths. A node with the attribute at this level or a lower one has each of its classes in one
   group.
   grain: one row per cell
   in: base, code_paths, keys (their names), promise, attribute, masks [(key, mask of the bits that
       tell the groups apart)], masked (the names of these keys), step, node
   out: a SELECT of (node, keys, promise.extras, promise.weights) #}
SELECT
    CAST({{ node | integer }} AS INTEGER) AS node,
    {{ (keys + promise.extras + promise.weights) | idents('b') }}
FROM base AS b
JOIN (
    SELECT {{ masked | idents('g') }},
        ROW_NUMBER() OVER (
            ORDER BY
            {% for key in masked %}
                g.{{ key | ident }} NULLS FIRST{% if not loop.last %},{% endif +%}
            {% endfor %}
        ) AS place
    FROM (
        SELECT DISTINCT
        {% for key, mask in masks %}
            p.{{ key | ident }} & CAST({{ mask | integer }} AS BIGINT) AS {{ key | ident }}
            {%- if not loop.last %},{% endif +%}
        {% endfor %}
        FROM code_paths AS p
        WHERE p.attribute = {{ attribute | integer }}
    ) AS g
) AS w ON MOD(w.place, {{ step | integer }}) = {{ (step // 2) | integer }}
{% for key, mask in masks %}
    AND w.{{ key | ident }} = b.{{ key | ident }} & CAST({{ mask | integer }} AS BIGINT)
{% endfor %}
