{# Ordered domains cut into intervals, for many recodings at once. A part is named by its first
   position.
   grain: one row per node, attribute and code
   in: positions, marks(node, attribute, position: that a part may begin at, taken: 1 or not yet:
       0), nodes [(node)], attributes, shares {index: billionths of a row's whole loss}, table
   out: table <table>(node, attribute, code, rank, position, at, part, last: position of the part,
       lost, reach, finest) #}
CREATE TABLE {{ table | ident }} AS
SELECT
    m.node, m.attribute, m.code, m.rank, m.position, m.at,
    {% for run, first, lost in [('part_run', 'part', 'lost'), ('reach_run', 'reach', 'finest')] %}
    MIN(m.{{ (first if first == 'reach' else 'position') | ident }}) OVER (PARTITION BY m.node,
        m.attribute, m.{{ run | ident }}) AS {{ first | ident }},
    {# NULL lies in a part with others only where that is the whole domain #}
    CASE
        WHEN MIN(m.position) OVER (PARTITION BY m.node, m.attribute, m.{{ run | ident }}) = 0
            AND MAX(m.position) OVER (PARTITION BY m.node, m.attribute, m.{{ run | ident }}) > 0
        THEN CASE m.attribute
        {% for a in attributes %}
            WHEN # THEN {{ shares[a.index] | integer }}
        {% endfor %}
        END
        ELSE COALESCE(MAX(m.at) OVER (PARTITION BY m.node, m.attribute, m.{{ run | ident }})
            - MIN(m.at) OVER (PARTITION BY m.node, m.attribute, m.{{ run | ident }}), 0)
    END AS {{ lost | ident }},
    {% endfor %}
    MAX(m.position) OVER (PARTITION BY m.node, m.attribute, m.part_run) AS last
FROM (
    SELECT
        n.node, p.attribute, p.code,
        p.code AS reach,
        p.rank, p.position, p.at,
        SUM(COALESCE(k.taken, 0)) OVER (PARTITION BY n.node, p.attribute
            ORDER BY p.position NULLS FIRST) AS part_run,
        SUM(CASE WHEN k.taken IS NULL THEN 0 ELSE 1 END) OVER (PARTITION BY n.node, p.attribute
            ORDER BY p.position NULLS FIRST) AS reach_run
    FROM positions AS p
    CROSS JOIN (VALUES {{ nodes | rows }}) AS n (node)
    LEFT JOIN marks AS k ON k.node = n.node AND k.attribute = p.attribute
        AND k.position = p.position
) AS m
