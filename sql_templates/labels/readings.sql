{# All ways to read released labels, where any of them may be meant: a label is itself; ``*`` is any
   value; what looks like a set is its elements; a closed interval is the values from one end to the
   other, by its bounds where its label does not show them; and what looks like names are the
   values from one to the other in the hierarchy's order, for any pair that the hierarchy has. An
   array is a set alone.
   grain: one row per label, reading and part, or pair of names
   in: into (a table), kind, scale, small (of the column, see labels/ends), labels_asked(id, label,
       listed, lo, hi)
   out: the table (label: its id, reading: in the order of preference, parts, part, kind: word, any,
        span or names, word, upto) #}
{% from 'labels/macros.sql' import elements_of, element_of %}
CREATE OR REPLACE TABLE {{ into | ident }} AS
WITH
sets AS (
    SELECT a.id, {{ elements_of(['a', 'label']) }} AS elements
    FROM labels_asked AS a
    WHERE LEFT(a.label, 1) = '{'
),
elements AS (
    SELECT
        s.id, LENGTH(s.elements) AS parts, UNNEST(RANGE(LENGTH(s.elements))) AS part,
        UNNEST(s.elements) AS element
    FROM sets AS s
),
intervals AS (
    SELECT
        a.id, a.lo, a.hi,
        REGEXP_EXTRACT(a.label, '^\[([^,]*),', 1) AS low,
        REGEXP_EXTRACT(a.label, ',([^,]*)\]$', 1) AS high
    FROM labels_asked AS a
    WHERE REGEXP_FULL_MATCH(a.label, '\[[^\[\](),]*,[^\[\](),]*\]')
),
end_texts AS (
    SELECT i.id, 0 AS origin, FALSE AS upper, TRIM(i.low) AS text FROM intervals AS i
    UNION ALL
    SELECT i.id, 0 AS origin, TRUE AS upper, TRIM(i.high) AS text FROM intervals AS i
    UNION ALL
    SELECT i.id, 1 AS origin, FALSE AS upper, TRIM(i.lo) AS text FROM intervals AS i
    UNION ALL
    SELECT i.id, 1 AS origin, TRUE AS upper, TRIM(i.hi) AS text FROM intervals AS i
),
{% include 'labels/ends.sql' %},
spans AS (
    SELECT e.id, ARG_MIN(e.low, e.origin) AS low, ARG_MIN(e.high, e.origin) AS high
    FROM (
        SELECT
            v.id, v.origin, MIN(v.value) FILTER (WHERE NOT v.upper) AS low,
            MIN(v.value) FILTER (WHERE v.upper) AS high
        FROM end_values AS v
        GROUP BY v.id, v.origin
        HAVING COUNT(v.value) = 2
    ) AS e
    GROUP BY e.id
),
names AS (
    SELECT
        a.id, a.label, UNNEST(LIST_FILTER(RANGE(1, LENGTH(a.label) - 1),
            LAMBDA i: SUBSTRING(a.label, i, 3) = ' … ')) AS cut
    FROM labels_asked AS a
    WHERE a.label LIKE '% … %'
)
SELECT
    a.id AS label, 0 AS reading, 1 AS parts, 0 AS part, 'word' AS kind, a.label AS word,
    CAST(NULL AS VARCHAR) AS upto
FROM labels_asked AS a
WHERE a.listed IS NULL
UNION ALL
SELECT
    l.id, 0 AS reading, CAST(LENGTH(l.listed) AS INTEGER) AS parts,
    CAST(UNNEST(RANGE(LENGTH(l.listed))) AS INTEGER) AS part, 'word' AS kind,
    UNNEST(l.listed) AS word, NULL AS upto
FROM labels_asked AS l
WHERE l.listed IS NOT NULL
UNION ALL
SELECT
    a.id, 1 AS reading, 1 AS parts, 0 AS part, 'any' AS kind, NULL AS word, NULL AS upto
FROM labels_asked AS a
WHERE a.label = '*' OR LENGTH(a.listed) = 0
UNION ALL
SELECT
    e.id, 2 AS reading, CAST(e.parts AS INTEGER) AS parts, CAST(e.part AS INTEGER) AS part,
    'word' AS kind, {{ element_of(['e', 'element']) }} AS word, NULL AS upto
FROM elements AS e
UNION ALL
SELECT s.id, 3 AS reading, 1 AS parts, 0 AS part, 'span' AS kind, s.low AS word, s.high AS upto
FROM spans AS s
UNION ALL
SELECT
    n.id, 4 AS reading, 1 AS parts, 0 AS part, 'names' AS kind,
    LEFT(n.label, n.cut - 1) AS word, SUBSTRING(n.label, n.cut + 3) AS upto
FROM names AS n
