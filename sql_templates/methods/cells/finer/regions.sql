{# What the cells of each group have in common.
   grain: one row per group
   in: stock, placed, attributes, into
   out: table <into>(grp, n, cell: one of its cells, l1 … ln: the least levels at which its cells
       agree, g1 … gn: their codes there) #}
CREATE TABLE {{ into | ident }} AS
SELECT
    r.grp,
    r.n,
    r.cell
{% for a in attributes %}
    , CASE
    {% for level in range(a.min_level, a.max_level) %}
        WHEN r.low#_{{ level | integer }} = r.high#_{{ level | integer }} THEN {{ level | integer }}
    {% endfor %}
        ELSE {{ a.max_level | integer }}
    END AS l#
    , CASE
    {% for level in range(a.min_level, a.max_level) %}
        WHEN r.low#_{{ level | integer }} = r.high#_{{ level | integer }}
        THEN r.low#_{{ level | integer }}
    {% endfor %}
        ELSE r.low#_{{ a.max_level | integer }}
    END AS g#
{% endfor %}
FROM (
    SELECT
        p.grp,
        CAST(SUM(t.n) AS BIGINT) AS n,
        MIN(t.cell) AS cell
    {% for a in attributes %}
        {% for level in range(a.min_level, a.max_level + 1) %}
        , MIN(t.g#_{{ level | integer }}) AS low#_{{ level | integer }}
        , MAX(t.g#_{{ level | integer }}) AS high#_{{ level | integer }}
        {% endfor %}
    {% endfor %}
    FROM placed AS p
    JOIN stock AS t ON t.cell = p.cell
    GROUP BY p.grp
) AS r
