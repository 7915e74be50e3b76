{# What the queries over the same columns sum in the source. One column after another is joined and
   summed away: engines that choose their own order join what is asked with itself before they join
   it with the rows.
   grain: one row per query that any row satisfies
   in: source_facts, first and last (of the queries' numbers), columns with predicates_<index>,
       summed (column), domain_<index> of it
   out: (query, sum, 0 where every value is NULL) #}
WITH totals AS (
    SELECT {{ columns | each('f.c#,') }} SUM(f.n * CAST(v.value AS DOUBLE)) AS total
    FROM source_facts AS f
    {{ summed | sql('JOIN domain_# AS v ON v.code = f.c#') }}
    GROUP BY {{ columns | listed('f.c#') }}
){% for a in columns %},
{% if loop.last %}answered{% else %}left_{{ loop.index | integer }}{% endif %} AS (
    SELECT p.query, {{ columns[loop.index:] | each('t.c#,') }} SUM(t.total) AS total
    FROM {% if loop.first %}totals{% else %}left_{{ loop.index0 | integer }}{% endif %} AS t
    JOIN predicates_# AS p
        ON p.code = t.c#
    {% if not loop.first %}
        AND p.query = t.query
    {% else %}
    WHERE p.query BETWEEN {{ first | integer }} AND {{ last | integer }}
    {% endif %}
    GROUP BY p.query{{ columns[loop.index:] | each(', t.c#') }}
)
{%- endfor +%}
SELECT s.query, COALESCE(s.total, 0) AS answer
FROM answered AS s
