{# How many released rows have each value of a sensitive column. Masked rows are suppressed, and
   not counted.
   grain: one row per value
   in: table (of the release), column, cast (the type that it is compared as, where that is not its
       own), text (whether it is text then), labels (the quasi-identifying columns; none where no
       row can be a masked one)
   out: a SELECT of (value, n) #}
{% from 'verification/attack/macros.sql' import kept_value %}
SELECT x.value, CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT {{ kept_value(column, cast, text) }} AS value
    FROM {{ table | ident }} AS r
    {% if labels %}
    WHERE NOT ({{ labels | each("COALESCE(r.@, '') = '*'", ' AND ') }})
    {% endif %}
) AS x
GROUP BY x.value
