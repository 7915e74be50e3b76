{# What the values of some columns are looked up by, with what others have.
   grain: one row per label (tokens), token and range (ranges), or atom and slot (atoms)
   in: into, part (tokens, ranges or atoms), points (columns: index, levels, slot: how many units it has, value: which of value<n> has theirs),
       values [(number, type)], completed_spans, completed_positions, completed_units,
       completed_found, completed_leaves_<index>, completed_other_<part>
   out: table into: see completion/drawn #}
CREATE OR REPLACE TABLE {{ into | ident }} AS
SELECT o.* FROM {{ ('completed_other_' ~ part) | ident }} AS o
UNION ALL
{% if part == 'tokens' %}
SELECT s.position, s.value, s.token FROM completed_spans AS s
{% elif part == 'ranges' %}
SELECT p.position, p.token, p.first, p.past, p.start, p.total FROM completed_positions AS p
{% else %}
{% for c in points %}
SELECT
    a.position,
    a.run AS atom,
    CAST(UNNEST(RANGE(
        a.first // {{ c.slot | integer }}, (a.past - 1) // {{ c.slot | integer }} + 1
    )) AS BIGINT) AS slot,
    a.first,
    a.past,
    CAST(NULL AS DOUBLE) AS low,
    CAST(1 AS DOUBLE) AS width
    {% for n, type in values %}
    , {% if n == c.value %}a.word{% else %}CAST(NULL AS {{ type | sql_type }}){% endif %}
        AS {{ ('value' ~ n) | ident }}
    {% endfor %}
FROM (
    SELECT
        w.word,
        w.position,
        u.run,
        u.start + (w.atom - u.first) * u.unit AS first,
        u.start + (w.atom - u.first + 1) * u.unit AS past
    FROM (
        SELECT v.atom, v.word, p.position
        FROM (
        {% if c.levels %}
        SELECT l.atom, l.l0 AS word FROM {{ ('completed_leaves_' ~ c.index) | ident }} AS l
        WHERE l.atom IS NOT NULL
        UNION ALL
        {% endif %}
        SELECT f.first AS atom, f.word FROM completed_found AS f
        WHERE f.position = {{ c.index | integer }} AND f.word IS NOT NULL
        UNION ALL
        SELECT MIN(s.points) AS atom, NULL AS word FROM completed_spans AS s
        WHERE s.position = {{ c.index | integer }}
        HAVING COUNT(*) > 0
        ) AS v
        CROSS JOIN (
            SELECT DISTINCT o.position FROM completed_units AS o
            WHERE o.of_column = {{ c.index | integer }}
        ) AS p
    ) AS w
    ASOF JOIN (
        SELECT o.position, o.run, o.first, o.past, o.unit, o.start, o.covered
        FROM completed_units AS o
        WHERE o.of_column = {{ c.index | integer }}
    ) AS u ON w.position = u.position AND w.atom >= u.first
    WHERE w.atom < u.past AND u.covered
) AS a
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
{% endif %}
