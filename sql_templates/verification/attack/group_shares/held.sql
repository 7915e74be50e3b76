{# How many rows of the source and how many released rows have each value of a sensitive column.
   grain: one row per value of either, NULL being a value like another
   in: source, number, column, cast (type that the source's value is compared as, or none),
       released_cast (that of the released one, or none), text (whether both are text then),
       released_<number>(value, n)
   out: table held_<number>(value, n, released) #}
{% from 'verification/attack/macros.sql' import kept_value, own_value %}
CREATE TABLE {{ ('held_' ~ number) | ident }} AS
SELECT
    x.value,
    CAST(SUM(x.n) AS BIGINT) AS n,
    CAST(SUM(x.released) AS BIGINT) AS released
FROM (
    SELECT {{ own_value(none, column, cast, text) }} AS value, 1 AS n, 0 AS released
    FROM {{ source | ident }} AS r
    UNION ALL
    SELECT {{ kept_value('value', released_cast, text) }} AS value, 0 AS n, r.n AS released
    FROM {{ ('released_' ~ number) | ident }} AS r
) AS x
GROUP BY x.value
