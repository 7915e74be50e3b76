-- name: classes
{# The classes of the source's rows at the levels that are to be released, numbered.
   grain: one row per class
   in: tracked, attributes
   out: table tracked_classes(c1 … cn, class: from 1) #}
CREATE TABLE tracked_classes AS
SELECT {{ attributes | listed('t.c#') }}, CAST(ROW_NUMBER() OVER (
    ORDER BY {{ attributes | listed('t.c# NULLS FIRST') }}
) AS BIGINT) AS class
FROM (SELECT DISTINCT {{ attributes | listed('u.c#') }} FROM tracked AS u) AS t

-- name: failing
{# grain: one row per class that does not keep the promise
   in: table (c1 … cn, n, ok), attributes
   out: its codes #}
SELECT {{ attributes | listed('x.c#') }} FROM {{ table | ident }} AS x WHERE NOT x.ok

-- name: followed
{# The source without the rows that are held back. (Some databases would look through all of
   held for every row if it said NOT EXISTS.)
   grain: one row per row to be released
   in: source, key (a column), held
   out: a SELECT of the source's columns #}
SELECT s.*
FROM {{ source | ident }} AS s
LEFT JOIN held AS x ON x.k = {{ key | value('s') }}
WHERE x.k IS NULL

-- name: hashed_values
{# The values of a coded column as the ledger knows them.
   grain: one row per value
   in: a (coded column), values_<index>, ledger_secret, hash (the engine's template of a keyed hash)
   out: table hashed_<index>(code, y: the hash; NULL for NULL) #}
CREATE TABLE {{ ('hashed_' ~ a.index) | ident }} AS
SELECT v.code, {% with hashed = ['v', 'w'] %}{% include hash ~ '.sql' %}{% endwith %} AS y
FROM (
    SELECT u.code, CAST(u.value AS VARCHAR) AS w FROM {{ ('values_' ~ a.index) | ident }} AS u
) AS v

-- name: held
{# The rows of the source that are held back.
   grain: one row per row
   in: placed
   out: table held(k) #}
CREATE TABLE held AS
SELECT p.k FROM placed AS p WHERE p.part = 0

-- name: held_more
{# More rows of the source are held back.
   in: placed
   out: rows of held(k) #}
INSERT INTO held
SELECT p.k FROM placed AS p WHERE p.part = 0

-- name: known
{# How much of the ledger the source has.
   grain: one row
   in: remembered, missing
   out: (rows that were released before, those of them that the source has not any more) #}
SELECT
    (SELECT COUNT(*) FROM remembered AS r) AS before,
    (SELECT COUNT(*) FROM missing AS m) AS gone

-- name: missing
{# The rows that were released before and that the source has not any more.
   grain: one row per row
   in: remembered, traced
   out: table missing(r, h, trace, y1 …, x<index>) #}
CREATE TABLE missing AS
SELECT m.*
FROM remembered AS m
LEFT JOIN traced AS t ON t.r = m.r
WHERE t.r IS NULL

-- name: parts_again
{# in: next_parts
   out: table parts, as it is after a step #}
CREATE TABLE parts AS
SELECT p.trace, p.part, p.n, p.out, p.drawn FROM next_parts AS p

-- name: progress
{# grain: one row
   in: table (parts or next_parts)
   out: (parts held back, rows drawn from others) #}
SELECT
    CAST(COALESCE(SUM(CASE WHEN p.out THEN 1 ELSE 0 END), 0) AS BIGINT) AS parts,
    CAST(COALESCE(SUM(p.drawn), 0) AS BIGINT) AS drawn
FROM {{ table | ident }} AS p

-- name: refused
{# The classes that may not be released whatever their traces are.
   grain: one row per class
   in: tracked_classes, refused_codes(c1 … cn), attributes
   out: table refused(class) #}
CREATE TABLE refused AS
SELECT c.class
FROM tracked_classes AS c
JOIN refused_codes AS r ON {{ attributes | each('r.c# = c.c#', ' AND ') }}

-- name: released_rows
{# The rows that are not held back, with their traces so far.
   grain: one row per row
   in: placed
   out: table named_rows(k: the key, trace: 0 where it was never released) #}
CREATE TABLE named_rows AS
SELECT p.k, p.trace FROM placed AS p WHERE p.part <> 0

-- name: unfollowed
{# in: view
   out: it is gone, if it was there #}
DROP VIEW IF EXISTS {{ view | ident }}

-- name: with_traces
{# The source with the traces of its rows.
   grain: one row per row of named_rows
   in: source, key (a column), named_rows, name (of the column of traces)
   out: a SELECT of the source's columns and the trace #}
SELECT s.*, n.trace AS {{ name | ident }}
FROM {{ source | ident }} AS s
JOIN named_rows AS n ON n.k = {{ key | value('s') }}
