-- name: broken
{# What may be known of people whose sensitive values break a promise.
   grain: one row per combination
   in: table (see relational/sensitive/valued), keys, promise, values_<index>
   out: a SELECT of the keys #}
SELECT {{ keys | idents('w') }}
FROM (
    {% include 'privacy/classes.sql' +%}
) AS w
WHERE NOT w.ok

-- name: carried
{# The sensitive values that people have in any of their rows of a table; of those who have none
   there, none (-1).
   grain: one row per person and value
   in: table (its number), index (of the column), together (how many nodes there are),
       standing_1, standing_<number>, rows_<number>
   out: a SELECT of (person, code) #}
{% from 'relational/sensitive/macros.sql' import row_number %}
SELECT DISTINCT o.id AS person, COALESCE({{ ['r', 'x' ~ index] | ident }}, -1) AS code
FROM standing_1 AS o
LEFT JOIN {{ ('standing_' ~ table) | ident }} AS t ON t.person = o.id
LEFT JOIN {{ ('rows_' ~ table) | ident }} AS r
    ON r.id = {{ row_number(['t', 'id'], together) }}

-- name: domain
{# The values of a sensitive column as the source has them.
   grain: one row per value
   in: source, a (the column)
   out: a SELECT of (q<index>, n: rows) #}
SELECT {{ a | value('s') }} AS q{{ a.index | integer }}, CAST(COUNT(*) AS BIGINT) AS n
FROM {{ source | ident }} AS s
GROUP BY {{ a | value('s') }}

-- name: rare
{# What may be known of people whose sensitive values break any promise.
   grain: one row per combination
   in: tables (see relational/sensitive/broken), keys
   out: a SELECT of the keys, as relational/search/rare has them #}
{% for table in tables %}
SELECT {{ keys | idents('w') }} FROM {{ table | ident }} AS w
{% if not loop.last %}UNION{% endif +%}
{% endfor %}
