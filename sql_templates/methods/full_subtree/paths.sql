{# The way of every code up its hierarchy, with all nodes of all hierarchies numbered.
   grain: one row per attribute, code and level
   in: steps, attributes, shares {index: billionths of a row's whole loss}
   out: table paths(attribute, code, level, up, part: the node's number, lost: billionths of a row)
       #}
CREATE TABLE paths AS
SELECT
    s.attribute, s.code, s.level, s.up,
    CAST(DENSE_RANK() OVER (ORDER BY s.attribute NULLS LAST, s.level NULLS LAST,
        s.up NULLS LAST) AS INTEGER) AS part,
    CAST(FLOOR(s.loss * CASE s.attribute
    {% for a in attributes %}
        WHEN # THEN {{ shares[a.index] | integer }}
    {% endfor %}
    END + 0.5) AS BIGINT) AS lost
FROM steps AS s
