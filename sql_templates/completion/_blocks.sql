-- name: atoms
{# The atoms of columns with what is drawn of them.
   grain: one row per position, atom and slot
   in: into, columns (of completed_values), completed_slots(position, atom, slot, first, past),
       completed_values(position: of the column, atom, low, width, value1 …)
   out: table into: see completion/drawn #}
CREATE TABLE {{ into | ident }} AS
SELECT s.position, s.atom, s.slot, s.first, s.past{{ columns | each(', v.@') }}
FROM completed_slots AS s
JOIN completed_values AS v ON v.position = s.position % 65536 AND v.atom = s.atom

-- name: by_component
{# How many rows are expected to have each label of a column, by component.
   grain: one row per token and component
   in: c (completed column), completed_combinations, completed_components (see completion/keyed)
   out: (token, component, rows: of 2**20 each) #}
SELECT {{ c | sql('b.t#') }} AS token, m.component,
    CAST(SUM(b.rows_there * CAST(FLOOR((m.past - m.first) / CAST(1048576 AS DOUBLE)) AS BIGINT))
        AS BIGINT) AS chance
FROM completed_combinations AS b
JOIN completed_components AS m ON m.combination = b.combination
GROUP BY {{ c | sql('b.t#') }}, m.component

-- name: combinations
{# grain: one row per combination
   in: labeled, divided (completed columns), completed_combinations
   out: (t<index> …, b<index> …, rows), in order #}
SELECT {{ labeled | each('c.t#', ', ') }}{{ divided | each(', c.b#') }}, c.rows_there
FROM completed_combinations AS c
ORDER BY c.combination

-- name: components
{# grain: one row per combination and component
   in: completed_components (see completion/keyed)
   out: (combination, component, chance: of 2**40) #}
SELECT m.combination, m.component, m.past - m.first AS chance FROM completed_components AS m

-- name: dealt
{# How often each bucket or group has each of its values.
   grain: one row per bucket and value
   in: table (see completion/bucket)
   out: (bucket, value, count) #}
SELECT b.grp, b.value, b.past - b.first AS n
FROM {{ table | ident }} AS b

-- name: frequencies
{# grain: one row per column and shown value, NULL or remainder
   in: table (the __marginals of a release)
   out: (column_name, kind, value, rows) #}
SELECT f.column_name, f.kind, f.value, f.{{ 'rows' | ident }}
FROM {{ table | ident }} AS f
ORDER BY f.column_name NULLS FIRST, f.kind NULLS FIRST, f.value NULLS FIRST

-- name: labels_read
{# grain: one row per column and released value
   in: table, positions (of the columns), labels, ends (see completion/labels)
   out: (position, value, rows, label1 …, lo1, hi1 …), in order #}
SELECT v.position, v.value, v.n{{ labels | each(', v.label$') }}{{ ends | each(', v.lo$, v.hi$') }}
FROM {{ table | ident }} AS v
WHERE v.position IN ({{ positions | literals }})
ORDER BY v.position, v.value

-- name: leaves
{# The labels of some columns' hierarchies that a release publishes.
   grain: one row per column, level and leaf
   in: table (of the release), names (of the columns)
   out: (column_name, level, label, place) #}
SELECT h.column_name, h.level, h.label, h.place
FROM {{ table | ident }} AS h
WHERE h.column_name IN ({{ names | literals }})

-- name: made
{# A completed table as a scratch table.
   grain: one row per draw and released row
   in: into, titles (its columns), see completion/completed
   out: table into(titles) #}
CREATE TABLE {{ into | ident }} AS
SELECT {{ titles | idents('o') }}
FROM (
    {% include 'completion/completed.sql' %}
) AS o

-- name: ordered
{# The rows of a completed table, draw by draw, sorted by what they hold.
   grain: one row per draw and released row
   in: see completion/completed; sorted (its columns, see release/macros)
   out: draw, and the columns #}
{% from 'release/macros.sql' import keys %}
SELECT r.*
FROM (
    {% include 'completion/completed.sql' %}
) AS r
ORDER BY {{ keys(sorted) }}

-- name: placed_chances
{# How often the rows of a class are given a value that is known to occur in it.
   grain: one row per component, token, size of a class and value
   in: c (a completed column), slot, listed (see completion/chances), completed_placed,
       completed_atoms (see completion/drawn)
   out: (position, token, size, low, width, value, chance: of 2**40) #}
SELECT
    p.position, p.token, p.size, a.low, a.width,
    {% if listed %}a.{{ ('value' ~ listed) | ident }}{% else %}NULL{% endif %} AS value,
    p.chance
FROM completed_placed AS p
JOIN completed_atoms AS a
    ON a.position = p.position AND a.first = p.start
    AND a.slot * {{ slot | integer }} <= a.first
WHERE p.position % 65536 = {{ c.index | integer }}

-- name: rows_made
{# grain: one row per released row
   in, out: see completion/rows; table completed_rows #}
CREATE TABLE completed_rows AS
{% include 'completion/rows.sql' %}

-- name: texts
{# grain: one row per label of a column
   in: table (released rows), name (of the column)
   out: (label) #}
SELECT DISTINCT r.{{ name | ident }} AS label
FROM {{ table | ident }} AS r
WHERE r.{{ name | ident }} IS NOT NULL
