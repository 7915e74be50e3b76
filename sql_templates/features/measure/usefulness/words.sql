{# The most frequent values of a column that has no order, each a bin.
   grain: one row per value
   in: source (table), a (column), bins (how many)
   out: table useful_words_<index>(value, bin: from 1, the most frequent value first) #}
CREATE TABLE useful_words_# AS
SELECT w.value, CAST(w.place AS INTEGER) AS bin
FROM (
    SELECT
        u.value,
        ROW_NUMBER() OVER (ORDER BY u.n DESC NULLS LAST, u.value NULLS LAST) AS place
    FROM (
        SELECT {{ a | value('s') }} AS value, CAST(COUNT(*) AS BIGINT) AS n
        FROM {{ source | ident }} AS s
        WHERE s.{{ a.name | ident }} IS NOT NULL
        GROUP BY {{ a | value('s') }}
    ) AS u
) AS w
WHERE w.place <= {{ bins | integer }}
