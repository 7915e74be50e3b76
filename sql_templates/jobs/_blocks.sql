-- name: size
{# How many rows and people a source has.
   grain: one row
   in: source, who (the column that identifies people, or none: each row is one)
   out: (rows, people) #}
SELECT COUNT(*) AS n, COUNT({% if who %}DISTINCT {{ who | value('s') }}{% else %}*{% endif %}) AS people
FROM {{ source | ident }} AS s
