{# Counts after some people have lost rows, or have gone.
   grain: one row per combination that somebody still has
   in: counts, less (the counts of these people before), more (those afterwards; none where they
       have gone), size and depth (see relational/search/counts)
   out: a SELECT of the columns of relational/search/counts #}
{% from 'relational/search/macros.sql' import keys %}
SELECT {{ keys('v', size, depth) }}, CAST(SUM(v.n) AS BIGINT) AS n
FROM (
    SELECT {{ keys('a', size, depth) }}, a.n FROM {{ counts | ident }} AS a
    UNION ALL
    SELECT {{ keys('b', size, depth) }}, -b.n FROM {{ less | ident }} AS b
    {% if more %}
    UNION ALL
    SELECT {{ keys('c', size, depth) }}, c.n FROM {{ more | ident }} AS c
    {% endif %}
) AS v
GROUP BY {{ keys('v', size, depth) }}
HAVING SUM(v.n) > 0
