{# The release by the columns that some questions are about.
   grain: one row per distinct combination
   in: facts, facets
   out: table narrow(fact: its number, c<index> …, n) #}
CREATE TABLE narrow AS
SELECT ROW_NUMBER() OVER () AS fact, {% for c in facets %}k.c{{ c.index | integer }}, {% endfor %}k.n
FROM (
    SELECT {% for c in facets %}f.c{{ c.index | integer }}, {% endfor %}CAST(SUM(f.n) AS BIGINT) AS n
    FROM facts AS f
    GROUP BY {% for c in facets %}f.c{{ c.index | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
) AS k
