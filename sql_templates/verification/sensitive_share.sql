{# The greatest share of a sensitive value in a group of anatomy.
   grain: one row; none where there is no group
   in: sensitive (the table of sensitive values), group, count (names of columns)
   out: rows of the value and of the group where the share is greatest #}
SELECT
    s.most,
    s.size
FROM (
    SELECT
        p.most,
        p.size,
        ROW_NUMBER() OVER (ORDER BY CAST(p.most AS DOUBLE) / p.size DESC NULLS LAST) AS place
    FROM (
        SELECT
            MAX(v.{{ count | ident }}) AS most,
            CAST(SUM(v.{{ count | ident }}) AS BIGINT) AS size
        FROM {{ sensitive | ident }} AS v
        GROUP BY v.{{ group | ident }}
    ) AS p
) AS s
WHERE s.place = 1
