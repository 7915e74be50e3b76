{# The cells of all regions, cut or not, by what their distance from others is told by.
   grain: one row per region and cell
   in: pieces_0 … pieces_<rounds>, places, dim_<index>, attributes, forms {index: 'range' or 'set'}, rounds
   out: table spots(part, p1 … pn, n, of a range y<i>: the value by the length of the domain, times the weight, t<i>: its code at the
        highest level; of a set w<i>: its place as text, between commas) #}
CREATE TABLE spots AS
SELECT
    m.part
{% for a in attributes %}
{% set i = a.index %}
    , m.p{{ i | integer }}
    {% if forms[i] == 'range' %}
    , t{{ i | integer }}.x * t{{ i | integer }}.unit AS y{{ i | integer }}
    , d{{ i | integer }}.g{{ a.max_level | integer }} AS t{{ i | integer }}
    {% else %}
    , ',' || CAST(m.p{{ i | integer }} AS VARCHAR) || ',' AS w{{ i | integer }}
    {% endif %}
{% endfor %}
    , m.n
FROM (
{% for round in range(rounds + 1) %}
    SELECT r.part{{ attributes | each(', r.p#') }}, r.n
    FROM {{ ('pieces_' ~ round) | ident }} AS r
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS m
{% for a in attributes if forms[a.index] == 'range' %}
{% set i = a.index %}
JOIN places AS t{{ i | integer }} ON t{{ i | integer }}.attribute = {{ i | integer }} AND t{{ i | integer }}.place = m.p{{ i | integer }}
JOIN dim_{{ i | integer }} AS d{{ i | integer }} ON d{{ i | integer }}.code = t{{ i | integer }}.code
{% endfor %}
