{# One level of the Hilbert order, the highest bit of the coordinates (Skilling, Programming the
   Hilbert curve, 2004): which part of its cube every point lies in, counted along the curve, and
   its place in that part, turned so that the curve runs there as in attributes others. A bit that
   is one turns the first coordinate round, one that is zero exchanges it with its own: so a
   coordinate becomes that of the nearest zero before it, turned round once for each one between
   them.
   grain: one row per point
   in: table (points), into, attributes, count (of them), half (what the highest bit is worth),
       level, earlier (columns h… there are)
   out: table <into>, less a bit of every coordinate, and h<level>_<piece>: the part, thirty
       attributes a piece #}
CREATE TABLE {{ into | ident }} AS
SELECT
    (y.t {{ attributes | each('+ y.b#') }}) % 2 AS t
    {{ attributes | each(', y.p#') }}
    {{ earlier | each(', y.@') }}
{% for a in attributes %}
    , CASE
    {% if loop.index > 1 %}
        WHEN y.b# = 1 THEN y.l#
    {% endif %}
    {% set after = loop.index if loop.index > 1 else count + 1 %}
    {% for back in range(after - 1, 1, -1) %}
        {% set z = attributes[back - 1].index %}
        {% if (after - back - 1) % 2 %}
        WHEN y.b{{ z | integer }} = 0 THEN {{ (half - 1) | integer }} - y.l{{ z | integer }}
        {% else %}
        WHEN y.b{{ z | integer }} = 0 THEN y.l{{ z | integer }}
        {% endif %}
    {% endfor %}
        WHEN y.b{{ attributes[0].index | integer }} = {{ ((after - 1) % 2) | integer }}
            THEN {{ (half - 1) | integer }} - y.l{{ attributes[0].index | integer }}
        ELSE y.l{{ attributes[0].index | integer }}
    END AS x#
{% endfor %}
{% for piece in range(0, count, 30) %}
    ,
    {% for a in attributes[piece:piece + 30] %}
    {% set number = piece + loop.index %}
    {{ (2 ** (30 - loop.index)) | integer }}
        * ((y.t {{ attributes[:number] | each('+ y.b#') }}) % 2){% if not loop.last %} +{% endif +%}
    {% endfor %}
    AS {{ ('h' ~ level ~ '_' ~ piece) | ident }}
{% endfor %}
FROM (
    SELECT
        m.*
    {% for a in attributes %}
        , CASE WHEN m.x# >= {{ half | integer }} THEN 1 ELSE 0 END AS b#
        , m.x# % {{ half | integer }} AS l#
    {% endfor %}
    FROM {{ table | ident }} AS m
) AS y
