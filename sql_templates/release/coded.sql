{# The source's rows with the codes of their cells.
   grain: one row per source row
   in: source, released (see release/rows), dim_<index>, attributes, valued (coded columns whose
       values divide cells too) with their values_<index>
   out: a SELECT of (c1 … cn, x<index> of the valued, for each column kept as it is
       or averaged r<position>) #}
{% from 'release/macros.sql' import kept %}
SELECT
{% for r in released if r.kind == 'kept' %}
    {{ kept(r) }} AS r{{ r.position | integer }},
{% endfor %}
{% for r in released if r.averaged %}
    {{ r.attribute | value('s') }} AS r{{ r.position | integer }},
{% endfor %}
    {{ valued | each('COALESCE(w#.code, 0) AS x#,') }}
{% for a in attributes %}
    COALESCE(d#.g{{ a.min_level | integer }}, 0) AS c#{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ source | ident }} AS s
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
{{ valued | each('LEFT JOIN values_# AS w# ON w#.value = @(s)') }}
