{# Which class every cell lies in; cells of none are suppressed. The parts of each cell are made distinct first, also so that
   no engine joins parts with classes before the cells: their combinations are without number.
   grain: one row per released cell
   in: cells, parts (table: node, attribute, code, part), kept, attributes, node, promise
   out: table assigned(c1 … cn, grp) #}
CREATE TABLE assigned AS
SELECT
{% for a in attributes %}
    q.c{{ a.index | integer }},
{% endfor %}
    x.grp
FROM (
    SELECT DISTINCT
    {% for a in attributes %}
        t.c{{ a.index | integer }},
        p{{ a.index | integer }}.part AS r{{ a.index | integer }}{% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM cells AS t
    {% for a in attributes %}
    JOIN {{ parts | ident }} AS p{{ a.index | integer }}
        ON p{{ a.index | integer }}.node = {{ node | integer }}
        AND p{{ a.index | integer }}.attribute = {{ a.index | integer }}
        AND p{{ a.index | integer }}.code = t.c{{ a.index | integer }}
    {% endfor %}
) AS q
JOIN kept AS x
    ON {% for a in attributes %}x.r{{ a.index | integer }} = q.r{{ a.index | integer }}{% if not loop.last %} AND {% endif %}{% endfor +%}
