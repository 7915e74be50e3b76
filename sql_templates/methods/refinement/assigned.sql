{# Which class every cell lies in; cells of none are suppressed. The parts of each cell are made
   distinct first, also so that no engine joins parts with classes before the cells: their
   combinations are without number.
   grain: one row per released cell
   in: cells, parts (table: node, attribute, code, part), kept, attributes, node
   out: table assigned(c1 … cn, grp) #}
CREATE TABLE assigned AS
SELECT
    {{ attributes | each('q.c#,') }}
    x.grp
FROM (
    SELECT DISTINCT
        {{ attributes | listed('t.c#, p#.part AS r#') }}
    FROM cells AS t
    {% for a in attributes %}
    JOIN {{ parts | ident }} AS p#
        ON p#.node = {{ node | integer }}
        AND p#.attribute = # AND p#.code = t.c#
    {% endfor %}
) AS q
JOIN kept AS x
    ON {{ attributes | each('x.r# = q.r#', ' AND ') }}
