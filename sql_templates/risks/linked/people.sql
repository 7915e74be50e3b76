{# How far the surrogates of a column link rows of a table of a release, and people by these.
   grain: one row
   in: column, above (the tables on the way to people, the column's own first: table, its key, and
       the column that refers to the next one; of people their key), last (index)
   out: (surrogates, rows that have one, surrogates that rows of several people have) #}
SELECT
    COUNT(*) AS surrogates,
    CAST(COALESCE(SUM(g.n), 0) AS BIGINT) AS total,
    COUNT(CASE WHEN g.people > 1 THEN 1 END) AS shared
FROM (
    SELECT
        t0.{{ column | ident }} AS own,
        COUNT(*) AS n,
        COUNT(DISTINCT {{ ['t' ~ last, above[-1][2]] | ident }}) AS people
    FROM {{ above[0][0] | ident }} AS t0
    {% for step in above[1:] %}
    JOIN {{ step[0] | ident }} AS {{ ('t' ~ loop.index) | ident }}
        ON {{ ['t' ~ loop.index, step[1]] | ident }}
            = {{ ['t' ~ loop.index0, above[loop.index0][2]] | ident }}
    {% endfor %}
    WHERE t0.{{ column | ident }} IS NOT NULL
    GROUP BY t0.{{ column | ident }}
) AS g
