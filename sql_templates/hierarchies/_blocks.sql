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
