{# The value of a column that has a rank among the others; NULL counts as none.
   grain: one row
   in: source, name, rank (from the least, 1), descending (from the greatest instead)
   out: (value; none where there are fewer values) #}
SELECT r.v AS ranked_value
FROM (
    SELECT
        s.{{ name | ident }} AS v,
        ROW_NUMBER() OVER (
            ORDER BY s.{{ name | ident }}{% if descending %} DESC{% endif %} NULLS LAST
        ) AS place
    FROM {{ source | ident }} AS s
    WHERE s.{{ name | ident }} IS NOT NULL
) AS r
WHERE r.place = {{ rank | integer }}
