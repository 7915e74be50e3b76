{# Whether the key names rows.
   grain: one row
   in: source, key (a column: name, cast)
   out: (rows whose key is NULL, rows whose key another row has, too) #}
SELECT
    CAST(COALESCE(SUM(CASE WHEN t.k IS NULL THEN t.n END), 0) AS BIGINT) AS without_key,
    CAST(COALESCE(SUM(CASE WHEN t.k IS NOT NULL AND t.n > 1 THEN t.n END), 0) AS BIGINT) AS repeated
FROM (
    SELECT {{ key | value('s') }} AS k, COUNT(*) AS n
    FROM {{ source | ident }} AS s
    GROUP BY {{ key | value('s') }}
) AS t
