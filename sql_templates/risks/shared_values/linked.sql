{# How far the surrogates of a column link rows of a table of a release, and people by these.
   grain: one row
   in: column, above (the tables on the way to people, the column's own first: table, its key, and
       person, the column that refers to the next one; of people their key; alias)
   out: (surrogates, rows that have one, surrogates that rows of several people have) #}
SELECT
    COUNT(*) AS surrogates,
    CAST(COALESCE(SUM(g.n), 0) AS BIGINT) AS total,
    COUNT(CASE WHEN g.people > 1 THEN 1 END) AS shared
FROM (
    SELECT
        t0.{{ column | ident }} AS own,
        COUNT(*) AS n,
        COUNT(DISTINCT {{ [above[-1].alias, above[-1].person] | ident }}) AS people
    FROM {{ above[0].table | ident }} AS t0
    {% for step in above[1:] %}
    JOIN {{ step.table | ident }} AS {{ step.alias | ident }}
        ON {{ [step.alias, step.key] | ident }}
            = {{ [above[loop.index0].alias, above[loop.index0].person] | ident }}
    {% endfor %}
    WHERE t0.{{ column | ident }} IS NOT NULL
    GROUP BY t0.{{ column | ident }}
) AS g
