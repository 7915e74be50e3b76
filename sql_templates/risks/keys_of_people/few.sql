{# People who share the values of the quasi-identifying columns, as they are, with at least k - 1
   other rows and with fewer than k - 1 other people: a class of k rows that is fewer people.
   grain: one row
   in: table, columns (the quasi-identifying ones, as star/value takes them), people (so too), k
   out: the number of those people #}
SELECT COUNT(DISTINCT c.person) AS people
FROM (
    SELECT
        p.person,
        SUM(p.n) OVER (PARTITION BY {{ columns | listed('p.v$') }}) AS size,
        COUNT(*) OVER (PARTITION BY {{ columns | listed('p.v$') }}) AS different
    FROM (
        SELECT
            {{ columns | each('@(s) AS v$,') }}
            {{ people | value('s') }} AS person,
            COUNT(*) AS n
        FROM {{ table | ident }} AS s
        WHERE s.{{ people.name | ident }} IS NOT NULL
        GROUP BY
            {{ columns | each('@(s),') }}
            {{ people | value('s') }}
    ) AS p
) AS c
WHERE c.size >= {{ k | integer }} AND c.different < {{ k | integer }}
