-- name: amounts
{# About how many things may be known of people, by how many rows are known.
   grain: one row
   in: knowable
   out: (one row, two, three) #}
SELECT SUM(CAST(g.n AS DOUBLE)) AS one, SUM(CAST(g.n AS DOUBLE) * g.n / 2) AS two,
    SUM(CAST(g.n AS DOUBLE) * g.n * g.n / 6) AS three
FROM (
    SELECT k.person, COUNT(*) AS n FROM knowable AS k GROUP BY k.person
) AS g

-- name: as_texts
{# Columns of a released table as texts, on their way to another engine.
   grain: one row per row
   in: table, columns (names)
   out: a SELECT of the columns #}
SELECT
{% for name in columns %}
    CAST(p.{{ name | ident }} AS VARCHAR) AS {{ name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS p

-- name: beyond
{# The released rows of a table that are no rows of the source.
   grain: one row
   in: table (both_<number> or tree_<number>), numbered (by what: own, whole or tree), equal
       (whether all rows of the source are released)
   out: (released rows beyond those of the source that hold the same, and where all are released,
        the other way round) #}
SELECT CAST(COALESCE(SUM(ABS(d.more)), 0) AS BIGINT) AS beyond
FROM (
    SELECT COUNT(b.now) - COUNT(b.was) AS more
    FROM {{ table | ident }} AS b
    GROUP BY b.{{ numbered | ident }}
) AS d
WHERE d.more {% if equal %}<>{% else %}>{% endif %} 0

-- name: dangling
{# Released rows that refer to nothing.
   grain: one row
   in: table, reference, other, key (of the other table)
   out: (rows without a reference, rows whose reference is no key) #}
SELECT
    COUNT(CASE WHEN p.{{ reference | ident }} IS NULL THEN 1 END) AS nulls,
    COUNT(CASE
        WHEN p.{{ reference | ident }} IS NOT NULL AND q.{{ key | ident }} IS NULL THEN 1
    END) AS dangling
FROM {{ table | ident }} AS p
LEFT JOIN {{ other | ident }} AS q ON q.{{ key | ident }} = p.{{ reference | ident }}

-- name: keys
{# The keys of a released table.
   grain: one row
   in: table, key
   out: (rows, keys, different keys, the least and the greatest) #}
SELECT COUNT(*) AS total, COUNT(p.{{ key | ident }}) AS keys,
    COUNT(DISTINCT p.{{ key | ident }}) AS different,
    MIN(p.{{ key | ident }}) AS least, MAX(p.{{ key | ident }}) AS most
FROM {{ table | ident }} AS p

-- name: most
{# The most rows of a table that a person has.
   grain: one row
   in: number, verified_<number>
   out: (rows) #}
SELECT COALESCE(MAX(g.n), 0) AS most
FROM (
    SELECT COUNT(*) AS n FROM {{ ('verified_' ~ number) | ident }} AS v GROUP BY v.person
) AS g

-- name: of_people
{# The sensitive values that people have in any row of a table, -1 where they have no row.
   grain: one row per person and value
   in: verified_1, secrets (see verification/relational/secrets)
   out: a SELECT of (person, code) #}
SELECT DISTINCT t.id AS person, CASE WHEN w.person IS NULL THEN -1 ELSE w.code END AS code
FROM verified_1 AS t
LEFT JOIN secrets AS w ON w.person = t.id

-- name: one_to_one
{# Whether keys and surrogates belong together one to one.
   grain: one row
   in: map (a table of values and surrogates)
   out: (rows, different values, different surrogates) #}
SELECT COUNT(*) AS total, COUNT(DISTINCT m.value) AS keys, COUNT(DISTINCT m.surrogate) AS surrogates
FROM {{ map | ident }} AS m

-- name: owners
{# People with what is known of them besides single rows: the class of their own row, or the kind of
   their whole tree.
   grain: one row per person
   in: trees (whether whole trees are known), verified_1, whole_1
   out: a SELECT of (id, own) #}
{% if trees %}
SELECT t.id, t.kind AS own FROM whole_1 AS t
{% else %}
SELECT t.id, t.alike AS own FROM verified_1 AS t
{% endif %}

-- name: unkept
{# Things that may be known of people whose sensitive values do not keep a promise.
   grain: one row
   in: table (see verification/relational/matching), keys, promise, reference_<index>
   out: (things, those that break it) #}
SELECT COUNT(*) AS things, COUNT(CASE WHEN NOT w.ok THEN 1 END) AS broken
FROM (
    {% include 'verification/keeping.sql' +%}
) AS w

-- name: whole
{# How many people have one whole tree.
   grain: one row
   in: k, whole_1
   out: (kinds of trees, those of fewer than k people, the fewest people that one has) #}
SELECT COUNT(*) AS things, COUNT(CASE WHEN g.people < {{ k | integer }} THEN 1 END) AS rare,
    MIN(g.people) AS fewest
FROM (SELECT COUNT(*) AS people FROM whole_1 AS w GROUP BY w.kind) AS g
