{# What the queries over the same columns sum in the source.
   grain: one row per query that any row satisfies
   in: source_facts, first and last (of the queries' numbers), columns with predicates_<index>, summed (column), domain_<index> of it
   out: (query, sum, 0 where every value is NULL) #}
SELECT
    p{{ columns[0].index | integer }}.query,
    COALESCE(SUM(t.total), 0) AS answer
FROM (
    SELECT {% for a in columns %}f.c{{ a.index | integer }}, {% endfor %}SUM(f.n * CAST(v.value AS DOUBLE)) AS total
    FROM source_facts AS f
    JOIN domain_{{ summed.index | integer }} AS v ON v.code = f.c{{ summed.index | integer }}
    GROUP BY {% for a in columns %}f.c{{ a.index | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
) AS t
{% for a in columns %}
JOIN (
    SELECT p.query, p.code
    FROM predicates_{{ a.index | integer }} AS p
    WHERE p.query BETWEEN {{ first | integer }} AND {{ last | integer }}
) AS p{{ a.index | integer }}
    ON p{{ a.index | integer }}.code = t.c{{ a.index | integer }}
    {% if not loop.first %}
    AND p{{ a.index | integer }}.query = p{{ columns[0].index | integer }}.query
    {% endif %}
{% endfor %}
GROUP BY p{{ columns[0].index | integer }}.query
