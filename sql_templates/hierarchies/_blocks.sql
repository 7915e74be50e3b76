-- name: distinct
{# in: table (relation), a (column)
   out: (how many distinct values the column has) #}
SELECT COUNT(DISTINCT {{ a | value('t') }}) AS n
FROM {{ table | ident }} AS t

-- name: leaves
{# The leaves of a hierarchy that is given leaf by leaf, spelled out.
   grain: one row per leaf
   in: a (attribute, with its rows)
   out: a SELECT of (v0 …, place: of the leaf in the hierarchy) #}
SELECT
    {{ range(a.height + 1) | each('CAST(f.v# AS VARCHAR) AS v#,') }}
    CAST(f.place AS INTEGER) AS place
FROM (VALUES {{ a.rows | rows }}) AS f ({{ range(a.height + 1) | each('v#,') }} place)

-- name: reference
{# The rows of a reference table, as a hierarchy that lists its leaves.
   grain: one row per distinct key with its groups
   in: table (relation), columns (the key and the groups, finer ones first)
   out: (their texts, in this order) #}
SELECT DISTINCT
{% for column in columns %}
    {{ column | text('t', column.name) }} AS {{ ('c' ~ loop.index0) | ident }}
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS t

-- name: text_counts
{# How often texts of a column occur.
   grain: one row per text, or per text and value of another column
   in: table (relation), a (column), like (another column, or none)
   out: (text, the other value, NULL where there is none, rows) #}
SELECT
    {{ a | text('t', a.name) }} AS word,
    {% if like %}{{ like | value('t') }}{% else %}NULL{% endif %} AS other,
    COUNT(*) AS n
FROM {{ table | ident }} AS t
WHERE t.{{ a.name | ident }} IS NOT NULL
GROUP BY {{ a | text('t', a.name) }}{% if like %}, {{ like | value('t') }}{% endif +%}

-- name: with_groups
{# Levels of a hierarchy with all groups that it can have, whether a value of the source is in them or
   not: each by a row without a value.
   grain: one row per distinct non-NULL source value, and one per group of the first level
   in: a (attribute), inner (the template of the source's values, and what that takes), grouped (of
       every group of level 1 its labels from level 0 to the top)
   out: a SELECT of (value, v0 …) #}
SELECT l.value{{ range(a.height + 1) | each(', l.v#') }}
FROM (
    {% include inner ~ '.sql' %}
) AS l
UNION ALL
SELECT NULL AS value{{ range(a.height + 1) | each(', k.v#') }}
FROM (VALUES {{ grouped | rows }}) AS k (v0{{ range(1, a.height + 1) | each(', v#') }})
