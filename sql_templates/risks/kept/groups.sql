{# How many rows of a table are alone with their values in some columns, NULL being a value like
   another. With ``people``, how many are the rows of one person: the size of a group is then its
   number of people, all NULLs being one.
   grain: one row
   in: table, columns (as star/value takes them), people (the column that tells people apart, so
       too; or none), k
   out: (rows, rows in groups of size 1, rows in groups of a size below k) #}
SELECT
    CAST(COALESCE(SUM(g.n), 0) AS BIGINT) AS total,
    CAST(COALESCE(SUM(g.n) FILTER (WHERE g.size = 1), 0) AS BIGINT) AS alone,
    CAST(COALESCE(SUM(g.n) FILTER (WHERE g.size < {{ k | integer }}), 0) AS BIGINT) AS below
FROM (
    SELECT
        COUNT(*) AS n,
    {% if people %}
        COUNT(DISTINCT {{ people | value('s') }})
            + MAX(CASE WHEN s.{{ people.name | ident }} IS NULL THEN 1 ELSE 0 END) AS size
    {% else %}
        COUNT(*) AS size
    {% endif %}
    FROM {{ table | ident }} AS s
    GROUP BY
        {{ columns | listed('@(s)') }}
) AS g
