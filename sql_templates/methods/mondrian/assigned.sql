{# The cells by their codes.
   grain: one row per cell, or portion of one
   in: settled, places, attributes, promise, relaxed
   out: table assigned(c1 … cn, x<index> of promise.within, grp, first and last when relaxed) #}
CREATE TABLE assigned AS
SELECT
    {{ attributes | each('t#.code AS c#,') }}
    {{ promise.within | each('s.x#,') }}
    s.part AS grp
{% if relaxed %}
    , s.first, s.last
{% endif %}
FROM settled AS s
{{ attributes | each('JOIN places AS t# ON t#.attribute = # AND t#.place = s.p#') }}
