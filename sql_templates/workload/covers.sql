{# What released labels stand for: the values that the data has under them. A label is what its first reading says all
   parts of which mean something: a node of the hierarchy before a set or an interval that looks like it.
   grain: one row per label and value
   in: a (attribute), dim_<index>, domain_<index>, words_<index>(label, reading, kind: node, ends or all, part, parts, word,
       upto: the other end), levels (that nodes may be of)
   out: table covers_<index>(label, code) #}
CREATE TABLE covers_{{ a.index | integer }} AS
WITH leaves AS (
    {% include 'single/ordered.sql' %}
),
matched AS (
    {% for level in levels %}
    SELECT w.label, w.reading, w.part, w.parts, d.code
    FROM words_{{ a.index | integer }} AS w
    JOIN dim_{{ a.index | integer }} AS d ON d.v{{ level | integer }} = w.word
    WHERE w.kind = 'node'
    UNION
    {% endfor %}
    SELECT w.label, w.reading, w.part, w.parts, m.code
    FROM words_{{ a.index | integer }} AS w
    JOIN leaves AS b ON b.v0 = w.word
    JOIN leaves AS e ON e.v0 = w.upto
    JOIN leaves AS m ON m.place >= b.place AND m.place <= e.place
    WHERE w.kind = 'ends'
    UNION
    SELECT w.label, w.reading, w.part, w.parts, m.code
    FROM words_{{ a.index | integer }} AS w
    CROSS JOIN leaves AS m
    WHERE w.kind = 'all' OR (w.kind = 'node' AND w.word IS NULL AND m.code = 0)
),
known AS (
    SELECT q.label, MIN(q.reading) AS reading
    FROM (
        SELECT m.label, m.reading
        FROM matched AS m
        GROUP BY m.label, m.reading
        HAVING COUNT(DISTINCT m.part) = MAX(m.parts)
    ) AS q
    GROUP BY q.label
)
SELECT DISTINCT m.label, m.code
FROM matched AS m
JOIN known AS k ON k.label = m.label AND k.reading = m.reading
JOIN domain_{{ a.index | integer }} AS d ON d.code = m.code
