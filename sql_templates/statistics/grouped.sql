{# Which groups of the dimensions occur together.
   grain: one row per combination of groups
   in: combinations, dim_<index>, attributes, levels {index: the levels}
   out: a SELECT of g<index>_<level> #}
SELECT DISTINCT
{% for a in attributes %}
    {% set outer_last = loop.last %}
    {% for level in levels[a.index] %}
    d#.g{{ level | integer }} AS {{ ('g' ~ a.index ~ '_' ~ level) | ident }}{% if not (loop.last and outer_last) %},{% endif +%}
    {% endfor %}
{% endfor %}
FROM (
    SELECT {{ attributes | listed('COALESCE(v#.code, CASE WHEN u.q# IS NULL THEN 0 ELSE -2 END) AS k#') }}
    FROM (SELECT DISTINCT {{ attributes | listed('c.q#') }} FROM combinations AS c) AS u
    {{ attributes | each('LEFT JOIN dim_# AS v# ON v#.value = u.q#') }}
) AS t
{{ attributes | each('JOIN dim_# AS d# ON d#.code = t.k#') }}
