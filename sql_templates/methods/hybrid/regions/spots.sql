{# The cells of all regions, cut or not, by what their distance from others is told by.
   grain: one row per region and cell
   in: pieces_0 … pieces_<rounds>, places, dim_<index>, attributes, forms {index: 'range' or 'set'},
       rounds
   out: table spots(part, p1 … pn, n, of a range y<i>: the value by the length of the domain, times
       the weight, t<i>: its code at the highest level; of a set w<i>: its place as text, between
       commas) #}
CREATE TABLE spots AS
SELECT
    m.part
{% for a in attributes %}
    , m.p#
    {% if forms[a.index] == 'range' %}
    , t#.x * t#.unit AS y#
    , d#.g{{ a.max_level | integer }} AS t#
    {% else %}
    {{ a | sql(", ',' || CAST(m.p# AS VARCHAR) || ',' AS w#") }}
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
JOIN places AS t# ON t#.attribute = # AND t#.place = m.p#
JOIN dim_# AS d# ON d#.code = t#.code
{% endfor %}
