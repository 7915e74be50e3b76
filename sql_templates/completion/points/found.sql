{# What the labels of columns stand for, as ranges of atoms: the leaves of the column's hierarchy,
   then what labels name that is none of these, in the order of texts.
   grain: one row per label and range
   in: points (columns: index, label: which of label<n> has their labels, levels: those that their
       labels are of, star: whether * is a label as others are (itself), or stands for all leaves or
       all values), completed_labels, completed_leaves_<index>, shown (whether there is
       completed_shown(position, value: a
       number below 0, label): values whose frequency is published)
   out: table completed_found(position, value: that of the label or shown value, first, past: NULL where the label stands for NULL,
       word: what the label names where that is no leaf) #}
CREATE OR REPLACE TABLE completed_found AS
WITH
{% for c in points %}
labels_{{ c.index | integer }} AS (
    SELECT v.value, v.{{ ('label' ~ c.label) | ident }} AS label
    FROM completed_labels AS v
    WHERE v.position = {{ c.index | integer }}
    {% if shown %}
    UNION ALL
    SELECT s.value, s.label
    FROM completed_shown AS s
    WHERE s.position = {{ c.index | integer }}
    {% endif %}
),
{% for level in c.levels if level %}
{{ ('nodes_' ~ c.index ~ '_' ~ level) | ident }} AS (
    SELECT
        l.{{ ('l' ~ level) | ident }} AS label,
        MIN(l.atom) AS first,
        MAX(l.atom) + 1 AS past,
        COUNT(l.atom) AS n
    FROM {{ ('completed_leaves_' ~ c.index) | ident }} AS l
    GROUP BY l.{{ ('l' ~ level) | ident }}
),
{% endfor %}
below_{{ c.index | integer }} AS (
    {% for level in c.levels %}
    {% if level == 0 %}
    SELECT l.l0 AS label, l.atom AS first, l.atom + 1 AS past
    FROM {{ ('completed_leaves_' ~ c.index) | ident }} AS l
    UNION ALL
    {% else %}
    SELECT n.label, n.first, n.past
    FROM {{ ('nodes_' ~ c.index ~ '_' ~ level) | ident }} AS n
    WHERE n.n = COALESCE(n.past - n.first, 0)
    UNION ALL
    SELECT s.label, MIN(s.atom) AS first, MAX(s.atom) + 1 AS past
    FROM (
        SELECT n.label, l.atom,
            l.atom - ROW_NUMBER() OVER (PARTITION BY n.label ORDER BY l.atom) AS island
        FROM {{ ('completed_leaves_' ~ c.index) | ident }} AS l
        JOIN {{ ('nodes_' ~ c.index ~ '_' ~ level) | ident }} AS n
            ON n.label = l.{{ ('l' ~ level) | ident }} AND n.n < n.past - n.first
        WHERE l.atom IS NOT NULL
    ) AS s
    GROUP BY s.label, s.island
    UNION ALL
    {% endif %}
    {% endfor %}
    SELECT CAST(NULL AS VARCHAR) AS label, 0 AS first, 0 AS past WHERE FALSE
),
own_{{ c.index | integer }} AS (
    SELECT v.value, b.first, b.past
    FROM {{ ('labels_' ~ c.index) | ident }} AS v
    JOIN {{ ('below_' ~ c.index) | ident }} AS b ON b.label = v.label
    WHERE v.value > 0
    {% if c.levels == [0] and c.star != 'itself' %}
        AND v.label <> '*'
    {% endif %}
    {% if c.levels and shown %}
    UNION ALL
    SELECT v.value, l.atom, l.atom + 1
    FROM {{ ('labels_' ~ c.index) | ident }} AS v
    JOIN {{ ('completed_leaves_' ~ c.index) | ident }} AS l ON l.l0 = v.label
    WHERE v.value < 0
    {% endif %}
),
rest_{{ c.index | integer }} AS (
    SELECT v.value, v.label
    FROM {{ ('labels_' ~ c.index) | ident }} AS v
    WHERE v.label IS NOT NULL
        AND v.value NOT IN (SELECT o.value FROM {{ ('own_' ~ c.index) | ident }} AS o)
),
leaves_{{ c.index | integer }} AS (
    {% if c.levels %}
    SELECT COUNT(l.atom) AS n FROM {{ ('completed_leaves_' ~ c.index) | ident }} AS l
    {% else %}
    SELECT 0 AS n
    {% endif %}
),
named_{{ c.index | integer }} AS (
    SELECT
        r.value,
        CASE WHEN r.value = MAX(r.value) OVER (PARTITION BY r.label) THEN r.label END AS label,
        n.n + DENSE_RANK() OVER (ORDER BY r.label) - 1 AS atom
    FROM {{ ('rest_' ~ c.index) | ident }} AS r
    CROSS JOIN {{ ('leaves_' ~ c.index) | ident }} AS n
    {% if c.star != 'itself' %}
    WHERE r.label <> '*'
    {% endif %}
),
{% endfor %}
none AS (
    SELECT 0 AS nothing
)
{% for c in points %}
SELECT {{ c.index | integer }} AS position, o.value, o.first, o.past, CAST(NULL AS VARCHAR) AS word
FROM {{ ('own_' ~ c.index) | ident }} AS o
UNION ALL
SELECT {{ c.index | integer }}, n.value, n.atom, n.atom + 1, n.label
FROM {{ ('named_' ~ c.index) | ident }} AS n
UNION ALL
{% if c.star != 'itself' %}
SELECT
    {{ c.index | integer }},
    r.value,
    CASE WHEN t.n > 0 THEN 0 END,
    NULLIF(t.n, 0),
    NULL
FROM {{ ('rest_' ~ c.index) | ident }} AS r
CROSS JOIN (
    SELECT l.n
    {%- if c.star == 'all' %} + (
        SELECT COUNT(m.label) FROM {{ ('named_' ~ c.index) | ident }} AS m
    ){% endif %}
        AS n
    FROM {{ ('leaves_' ~ c.index) | ident }} AS l
) AS t
WHERE r.label = '*' AND r.value > 0
UNION ALL
{% endif %}
SELECT {{ c.index | integer }}, v.value, NULL, NULL, NULL
FROM {{ ('labels_' ~ c.index) | ident }} AS v
WHERE v.label IS NULL
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
