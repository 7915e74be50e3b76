{# Counts after some people have lost rows, or have gone.
   grain: one row per combination that somebody still has
   in: counts, less (the counts of these people before), more (those afterwards; none where they
       have gone), keys (see relational/search/counts)
   out: a SELECT of the columns of relational/search/counts #}
SELECT {{ keys | idents('v') }}, CAST(SUM(v.n) AS BIGINT) AS n
FROM (
    SELECT {{ keys | idents('a') }}, a.n FROM {{ counts | ident }} AS a
    UNION ALL
    SELECT {{ keys | idents('b') }}, -b.n FROM {{ less | ident }} AS b
    {% if more %}
    UNION ALL
    SELECT {{ keys | idents('c') }}, c.n FROM {{ more | ident }} AS c
    {% endif %}
) AS v
GROUP BY {{ keys | idents('v') }}
HAVING SUM(v.n) > 0
