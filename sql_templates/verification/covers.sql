{# The values of the data that released labels cover. With every, what any reading of a label means;
   else what the first reading says all parts of which mean something: a node of the hierarchy
   before a set or an interval that looks like it.
   grain: one row per label and value
   in: a (attribute), dim_<index>, words_<index>(label, reading, parts, part, kind: word, any, span
       or names, word, upto: the other end or name), limits_<index>(label, lo, hi) where limits,
       spans, names (whether any words are), levels (that words may be of), every, span_type,
       lo_type, hi_type
   out: table covers_<index>(label, code) #}
{% from 'verification/linking/macros.sql' import present %}
{% from 'verification/macros.sql' import no_later %}
CREATE TABLE covers_# AS
WITH
matched AS (
    {% for level in levels %}
    SELECT w.label, w.reading, w.parts, w.part, d.code
    FROM words_# AS w
    JOIN dim_# AS d ON d.v{{ level | integer }} = w.word
    WHERE w.kind = 'word'
    UNION ALL
    {% endfor %}
    SELECT w.label, w.reading, w.parts, w.part, d.code
    FROM words_# AS w
    JOIN dim_# AS d ON d.code = 0
    WHERE w.kind = 'word' AND w.word IS NULL
    UNION ALL
    SELECT w.label, w.reading, w.parts, w.part, d.code
    FROM words_# AS w
    CROSS JOIN dim_# AS d
    WHERE w.kind = 'any'
    {% if names %}
    UNION ALL
    SELECT w.label, w.reading, w.parts, w.part, m.code
    FROM words_# AS w
    JOIN dim_# AS b ON b.v0 = w.word AND b.code > 0
    JOIN dim_# AS e ON e.v0 = w.upto AND e.code > 0
    JOIN dim_# AS m
        ON {{ no_later(a, 'b', 'm') }}
        AND {{ no_later(a, 'm', 'e') }}
    WHERE w.kind = 'names'
    {% endif %}
    {% if spans %}
    UNION ALL
    SELECT s.label, s.reading, s.parts, s.part, d.code
    FROM (
        SELECT
            w.label, w.reading, w.parts, w.part,
            CAST(w.word AS {{ span_type | sql_type }}) AS first,
            CAST(w.upto AS {{ span_type | sql_type }}) AS last
        FROM words_# AS w
        WHERE w.kind = 'span'
    ) AS s
    JOIN dim_# AS d ON d.value >= s.first AND d.value <= s.last
    {% endif %}
)
{% if not every %}
, known AS (
    SELECT q.label, MIN(q.reading) AS reading
    FROM (
        SELECT m.label, m.reading
        FROM matched AS m
        GROUP BY m.label, m.reading
        HAVING COUNT(DISTINCT m.part) = MAX(m.parts)
    ) AS q
    GROUP BY q.label
)
{% endif %}
SELECT DISTINCT m.label, m.code
FROM matched AS m
JOIN dim_# AS d ON d.code = m.code
{% if not every %}
JOIN known AS k ON k.label = m.label AND k.reading = m.reading
{% endif %}
{% if limits %}
LEFT JOIN limits_# AS u ON u.label = m.label
{% endif %}
WHERE ({{ present(a) }})
{% if limits %}
    AND (u.lo IS NULL OR d.value >= CAST(u.lo AS {{ lo_type | sql_type }}))
    AND (u.hi IS NULL OR d.value <= CAST(u.hi AS {{ hi_type | sql_type }}))
{% endif %}
