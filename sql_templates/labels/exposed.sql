{# The values that released values name, and those of them that too few rows can have. A label
   covers the values of all its readings; one whose values are not known here covers every value:
   ``*``, an interval of names, any interval that is not closed. What looks like a set or an
   interval names its elements or ends, unless another set names it as a value. Words that write
   the same number or moment are the same value.
   grain: one row
   in: k, kind, scale, small (of the column, see labels/ends), span_type (in which its values are
       compared), the tables labels_asked, labels_readings and labels_values
   out: (values that fewer than k rows can have, values that are named) #}
WITH
released AS (
    SELECT
        a.id, a.label, v.n,
        COALESCE(a.label LIKE '[%)', FALSE) OR a.id IN (
            SELECT r.label FROM labels_readings AS r WHERE r.kind IN ('any', 'names')
        ) AS covers_all,
        a.listed IS NULL AND a.label IS NULL AS is_null,
        a.listed IS NOT NULL AS is_list
    FROM labels_asked AS a
    JOIN labels_values AS v ON v.id = a.id
),
words AS (
    SELECT r.label AS id, r.word
    FROM labels_readings AS r
    JOIN released AS l ON l.id = r.label
    WHERE r.kind = 'word' AND (r.reading > 0 OR l.is_list)
),
spans AS (
    SELECT r.label AS id, r.word, r.upto, l.n
    FROM labels_readings AS r
    JOIN released AS l ON l.id = r.label
    WHERE r.kind = 'span' AND NOT l.covers_all
),
plain AS (
    SELECT l.id, l.label AS word
    FROM released AS l
    WHERE NOT l.covers_all AND NOT l.is_list
        AND (
            l.is_null
            OR l.label IN (SELECT w.word FROM words AS w WHERE w.word IS NOT NULL)
            OR l.id NOT IN (SELECT w.id FROM words AS w)
            AND l.id NOT IN (SELECT s.id FROM spans AS s)
        )
),
inside AS (
    SELECT w.id, w.word
    FROM words AS w
    JOIN released AS l ON l.id = w.id
    WHERE NOT l.covers_all
),
mentions AS (
    SELECT p.id, p.word, TRUE AS covers, TRUE AS names FROM plain AS p
    UNION ALL
    SELECT i.id, i.word, TRUE AS covers, i.id NOT IN (SELECT p.id FROM plain AS p) AS names
    FROM inside AS i
    UNION ALL
    SELECT e.id, e.word, FALSE AS covers, TRUE AS names
    FROM (
        SELECT s.id, s.word FROM spans AS s
        UNION ALL
        SELECT s.id, s.upto AS word FROM spans AS s
    ) AS e
    WHERE e.id NOT IN (SELECT p.id FROM plain AS p) AND e.id NOT IN (SELECT i.id FROM inside AS i)
),
texts AS (
    SELECT t.word, ROW_NUMBER() OVER () AS id
    FROM (SELECT DISTINCT m.word FROM mentions AS m WHERE m.word IS NOT NULL) AS t
),
end_texts AS (
    SELECT t.id, 0 AS origin, FALSE AS upper, TRIM(t.word) AS text
    FROM texts AS t
    WHERE NOT REGEXP_MATCHES(t.word, '[\[\](),]')
),
{% include 'labels/ends.sql' %},
known AS (
    SELECT m.id, m.covers, m.names, v.value, COALESCE(v.value, m.word) AS word
    FROM mentions AS m
    LEFT JOIN texts AS t ON t.word = m.word
    LEFT JOIN end_values AS v ON v.id = t.id
),
by_word AS (
    SELECT d.word, d.value, SUM(CASE WHEN d.covers THEN l.n ELSE 0 END) AS n,
        BOOL_OR(d.names) AS named
    FROM (
        SELECT k.id, k.word, k.value, BOOL_OR(k.covers) AS covers, BOOL_OR(k.names) AS names
        FROM known AS k
        GROUP BY k.id, k.word, k.value
    ) AS d
    JOIN released AS l ON l.id = d.id
    GROUP BY d.word, d.value
),
events AS (
    SELECT TRY_CAST(s.word AS {{ span_type | sql_type }}) AS at, 0 AS turn, s.n AS n, NULL AS word
    FROM spans AS s
    UNION ALL
    SELECT TRY_CAST(s.upto AS {{ span_type | sql_type }}) AS at, 2 AS turn, -s.n AS n, NULL AS word
    FROM spans AS s
    UNION ALL
    SELECT TRY_CAST(b.value AS {{ span_type | sql_type }}) AS at, 1 AS turn, 0 AS n, b.value AS word
    FROM by_word AS b
    WHERE b.named AND b.value IS NOT NULL
),
by_spans AS (
    SELECT e.word, e.turn,
        SUM(e.n) OVER (ORDER BY e.at, e.turn ROWS UNBOUNDED PRECEDING) AS n
    FROM events AS e
)
SELECT
    COUNT(*) FILTER (WHERE b.n + COALESCE(s.n, 0)
        + (SELECT COALESCE(SUM(l.n), 0) FROM released AS l WHERE l.covers_all) < {{ k | integer }}),
    COUNT(*) AS named
FROM by_word AS b
LEFT JOIN by_spans AS s ON s.turn = 1 AND s.word = b.value
WHERE b.named
