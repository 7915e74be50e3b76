{# Where labels of a hierarchy file have more than one parent: the first line of each parent but the
   most frequent one, and the first of that.
   grain: one row per label and other parent, the first five
   in: table (v0 …, line), level (of the labels; none: all lines have the same), above (the level of
       their parents)
   out: (first, other) #}
WITH counted AS (
    SELECT
        {% if level is none %}0{% else %}p.v{{ level | integer }}{% endif %} AS label,
        COUNT(*) AS n,
        MIN(p.line) AS line
    FROM {{ table | ident }} AS p
    GROUP BY label, p.v{{ above | integer }}
),
compared AS (
    SELECT
        c.line AS other,
        FIRST_VALUE(c.line) OVER (PARTITION BY c.label ORDER BY c.n DESC, c.line) AS first
    FROM counted AS c
)
SELECT c.first, c.other
FROM compared AS c
WHERE c.other <> c.first
ORDER BY c.other
LIMIT 5
