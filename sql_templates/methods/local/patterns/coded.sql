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
    {{ code(a, semi, 'm') }} AS c#,
{% endfor %}
    p.pattern,
    p.lent
    {{ kept | each(', m.k$') }}
{% for a in bucketized %}
    {% set of = withheld[a.index] %}
    {% if of %}
    , p.f{{ of | integer }} AS w#
    , CASE WHEN p.f{{ of | integer }} = 1 THEN m.s# END AS s#
    {% else %}
    , 1 AS w#
    , m.s#
    {% endif %}
{% endfor %}
FROM marked AS m
JOIN patterns AS p ON p.lent = m.lent AND p.pattern = {{ pattern(semi) }}
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = m.q#') }}
