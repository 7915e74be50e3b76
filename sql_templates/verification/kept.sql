{# Rows of a release by how many have the same values in the columns that are released as they are:
   what the policy limits, counted apart from what the release says of it.
   grain: one row
   in: table, columns (as star/value takes them), k
   out: (rows, rows alone, rows that share their values with fewer than k - 1 others) #}
SELECT
    COUNT(*) AS total,
    COUNT(*) FILTER (WHERE e.alike = 1) AS alone,
    COUNT(*) FILTER (WHERE e.alike < {{ k | integer }}) AS below
FROM (
    SELECT COUNT(*) OVER (
        PARTITION BY
            {{ columns | listed('@(s)') }}
    ) AS alike
    FROM {{ table | ident }} AS s
) AS e
