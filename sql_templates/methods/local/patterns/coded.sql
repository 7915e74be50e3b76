{# The marked rows of patterns that are released, with the codes of their cells and what is withheld
   of them in the end.
   grain: one row per released row
   in: marked, patterns, dim_<index>, attributes, semi, kept, bucketized, withheld
       {index: that of the semi-sensitive attribute which withholds the column, or 0}
   out: a SELECT of (c1 … cn, pattern, lent, k1 …, w<index>, s<index>: also where only lent rows
       withhold it) #}
{% from 'methods/local/patterns/macros.sql' import code, pattern %}
SELECT
{% for a in attributes %}
    {{ code(a, semi) }} AS c#,
{% endfor %}
    p.pattern,
    p.lent{% if kept or bucketized %},{% endif +%}
    {{ kept | listed('m.k$') }}{% if kept and bucketized %},{% endif +%}
{% for b in bucketized %}
    {% set of = withheld[b.index] %}
    {% if of %}
    p.f{{ of | integer }} AS w{{ b.index | integer }},
    CASE WHEN p.f{{ of | integer }} = 1
        THEN m.s{{ b.index | integer }}
            END AS s{{ b.index | integer }}{% if not loop.last %},{% endif +%}
    {% else %}
    1 AS w{{ b.index | integer }},
    m.s{{ b.index | integer }}{% if not loop.last %},{% endif +%}
    {% endif %}
{% endfor %}
FROM marked AS m
JOIN patterns AS p ON p.lent = m.lent AND p.pattern = {{ pattern(semi) }}
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = m.q#') }}
