{# The answers to the queries over the same columns: the sum over rows of the product of their
   shares; a value that is known counts wholly or not.
   grain: one row per query whose answer is not 0
   in: facts (table), first and last (of the queries' numbers), columns, spread (indices of those
       with shares_<index>; the others have predicates_<index>)
   out: (query, rows) #}
SELECT
    s{{ columns[0].index | integer }}.query,
    CAST(SUM(
        t.n
    {% for a in columns if a.index in spread %}
        * s#.share
    {% endfor %}
    ) AS DOUBLE) AS answer
FROM (
    SELECT {{ columns | each('f.c#,') }} SUM(f.n) AS n
    FROM {{ facts | ident }} AS f
    GROUP BY {{ columns | listed('f.c#') }}
) AS t
{% for a in columns %}
    {% if a.index in spread %}
JOIN shares_# AS s# ON s#.label = t.c#
    {% else %}
JOIN predicates_# AS s# ON s#.code = t.c#
    {% endif %}
    {% if not loop.first %}
    AND s#.query = s{{ columns[0].index | integer }}.query
    {% endif %}
{% endfor %}
WHERE s{{ columns[0].index | integer }}.query BETWEEN {{ first | integer }} AND {{ last | integer }}
GROUP BY s{{ columns[0].index | integer }}.query
