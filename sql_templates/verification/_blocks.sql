-- name: absent
{# grain: one row
   in: table (verdicts on the classes of the source and the population, see privacy/classes)
   out: how many of them have no rows in the release, for they have none at all or do not keep the
       promise #}
SELECT COUNT(*) AS absent
FROM {{ table | ident }} AS k
WHERE NOT k.ok

-- name: exposed
{# Patterns that are released as one which withholds less.
   grain: one row
   in: patterns(lent, pattern: what is withheld of its rows, as one number,
       see methods/local/patterns/macros; f<index>: 1 where the attribute is released as withheld),
       semi
   out: how many patterns #}
SELECT COUNT(*) AS exposed
FROM patterns AS p
WHERE
{% for a in semi %}
    CAST(FLOOR(p.pattern / CAST({{ (2 ** loop.index0) | integer }} AS DOUBLE)) AS BIGINT) % 2 > p.f#
    {% if not loop.last %}OR{% endif +%}
{% endfor %}

-- name: facts
{# Columns of a table as they stand there: a release's facts, or what a proof works with.
   grain: one row per row
   in: table, columns
   out: the columns #}
SELECT {{ columns | idents('f') }}
FROM {{ table | ident }} AS f

-- name: label
{# The label that a quasi-identifying value has at the released level, by its own column and
   dimension table.
   in: a (attribute), side (the relation of the value), level; h<index> is the dimension table
       joined to it
   out: an expression #}
CASE
    WHEN {{ side | ident }}.{{ a.name | ident }} IS NOT NULL
    THEN COALESCE(h#.v{{ level | integer }}, 'a value without a label')
    {% if a.null_labels is not none %}
    ELSE {{ a.null_labels[level] | literal }}
    {% endif %}
END

-- name: positions
{# The values of the whole table in their order.
   grain: one row per value
   in: model (its index is the column's), reference_<index>
   out: a SELECT of (position, table_share) #}
SELECT r.place AS position, r.share AS table_share
FROM {{ ('reference_' ~ model.index) | ident }} AS r

-- name: rows
{# grain: one row
   in: table
   out: how many rows it has #}
SELECT COUNT(*) AS n FROM {{ table | ident }} AS r

-- name: shown_labels
{# The labels that an attribute's values are released with, numbered: equal labels, equal numbers.
   grain: one row per value
   in: a (attribute), dim_<index>, level
   out: table shown_labels_<index>(value, label, t: from 1) #}
CREATE TABLE {{ ('shown_labels_' ~ a.index) | ident }} AS
SELECT d.value, d.v{{ level | integer }} AS label,
    CAST(DENSE_RANK() OVER (
        ORDER BY d.v{{ level | integer }} NULLS FIRST
    ) AS INTEGER) AS t
FROM dim_# AS d

-- name: trace_reference
{# The values of a column as the ledger knows them, by their codes in the reference.
   grain: one row per value
   in: a (coded column), reference_<index>, ledger_secret, hash
   out: table trace_reference_<index>(code, y: the hash, NULL for NULL) #}
CREATE TABLE {{ ('trace_reference_' ~ a.index) | ident }} AS
SELECT v.code, {% with hashed = ['v', 'w'] %}{% include hash ~ '.sql' %}{% endwith %} AS y
FROM (
    SELECT u.code, CAST(u.value AS VARCHAR) AS w FROM {{ ('reference_' ~ a.index) | ident }} AS u
) AS v

-- name: trace_whole
{# The values of the source that promises are about.
   grain: one row per combination of values
   in: source, coded
   out: table trace_whole(q<index>, n) #}
CREATE TABLE trace_whole AS
SELECT {{ coded | each('v.q#,') }} CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT {{ coded | listed('@(o) AS q#') }} FROM {{ source | ident }} AS o
) AS v
GROUP BY {{ coded | listed('v.q#') }}

-- name: unmatched
{# Rows that are released as a window that does not hold them.
   grain: one row
   in: assigned, matches, attributes, first and last (the numbers of the windows that matches are
       of)
   out: how many kinds of them #}
SELECT COUNT(*) AS wrong
FROM assigned AS p
LEFT JOIN (SELECT DISTINCT m.grp{{ attributes | each(', m.c#') }} FROM matches AS m) AS m
    ON m.grp = p.grp{{ attributes | each(' AND m.c# = p.c#') }}
WHERE m.grp IS NULL AND p.grp BETWEEN {{ first | integer }} AND {{ last | integer }}

-- name: widths
{# grain: one row per label that stands for something
   in: a (attribute), covers_<index>
   out: (label, values that it stands for) #}
SELECT v.label, COUNT(*) AS covered
FROM covers_# AS v
GROUP BY v.label

-- name: windows
{# How many windows there are, and the most runs of rows that one stands for.
   grain: one row
   in: windows
   out: (windows: numbered from 0, runs) #}
SELECT COUNT(*) AS windows, COALESCE(MAX(w.last_run - w.first_run), 0) + 1 AS runs
FROM windows AS w
