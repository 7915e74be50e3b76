{# The source's rows by the cell that each lies in, worked out anew: what stages a release has a
   statement of its own. A value that no dimension table has lies in no cell.
   grain: one row per source row
   in: source, released, attributes, valued (coded columns whose values divide cells too), judged
       (coded columns whose values are asked for), dim_<index>, values_<index> of the valued
   out: a SELECT of (c<index> of the attributes, x<index> of the valued, q<index> of the judged,
       r<position> of what is kept as it is, replaced or averaged) #}
SELECT
{% for a in attributes %}
    CASE
        WHEN {{ a | value('o') }} IS NULL THEN 0
        ELSE h#.g{{ a.min_level | integer }}
    END AS c#{% if not loop.last %},{% endif +%}
{% endfor %}
    {{ valued | each(', CASE WHEN @(o) IS NULL THEN 0 ELSE b#.code END AS x#') }}
    {{ judged | each(', @(o) AS q#') }}
{% for r in released if r.kind == 'kept' %}
    {% if not r.replaced and r.type != r.column.type %}
    , CAST(o.{{ r.column.name | ident }} AS {{ r.type | sql_type }}) AS r{{ r.position | integer }}
    {% else %}
    , o.{{ r.column.name | ident }} AS r{{ r.position | integer }}
    {% endif %}
{% endfor %}
{% for r in released if r.averaged %}
    , {{ r.attribute | value('o') }} AS r{{ r.position | integer }}
{% endfor %}
FROM {{ source | ident }} AS o
{{ attributes | each('LEFT JOIN dim_# AS h# ON @(o) = h#.value') }}
{{ valued | each('LEFT JOIN values_# AS b# ON @(o) = b#.value') }}
