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
