{# What is released of each span of an attribute as a set of its values: numbers and dates in their
   order, others in the alphabet's; what is between the least and the greatest is not in it. Of an
   attribute with few values a set is a row of bits, twelve to a piece and five pieces to a whole
   number: each different piece is put into words once, and a set is its pieces one after another.
   grain: one row per span of more than one value
   in: what methods/windows/elements takes, dim_<index>, array (whether sets are arrays), pieces
       (how many there are; 0: the values of each span are put into words one by one)
   out: table labels_<index>(part, first, last, label, text: the label as text, when array, leaves,
       present, lo and hi where there are bounds) #}
{% from 'methods/groups/macros.sql' import element %}
CREATE TABLE labels_# AS
{% with repeated = pieces > 0 %}{% include 'methods/windows/elements.sql' %}{% endwith %},
turns AS (
    SELECT
        t.place, t.label, t.leaves, t.present,
        {% if a.bounds_type %}
        t.code,
        d.lo{{ a.min_level | integer }} AS lo,
        d.hi{{ a.min_level | integer }} AS hi,
        {% endif %}
        {{ element(['t', 'label']) }} AS element,
        t.{% if a.sorts %}place{% else %}word{% endif %} - 1 AS turn
    FROM places AS t
    {% if a.bounds_type %}
    JOIN dim_# AS d ON d.code = t.code
    {% endif %}
    WHERE t.attribute = #
)
{% if pieces %}
,
masks AS (
    SELECT
        e.part, e.first, e.last
    {% for first in range(0, pieces, 5) %}
        , BIT_OR(CASE WHEN t.turn BETWEEN {{ (first * 12) | integer }}
            AND {{ (first * 12 + 59) | integer }}
            THEN CAST(1 AS BIGINT) << CAST(t.turn - {{ (first * 12) | integer }} AS INTEGER)
            ELSE 0 END) AS {{ first | sql('m#') }}
    {% endfor %}
    {% if a.bounds_type %}
        , CASE WHEN MIN(t.code) > 0 AND COUNT(t.lo) = COUNT(*) THEN MIN(t.lo) END AS lo
        , CASE WHEN MIN(t.code) > 0 AND COUNT(t.hi) = COUNT(*) THEN MAX(t.hi) END AS hi
    {% endif %}
    FROM elements AS e
    JOIN turns AS t ON t.place = e.place
    GROUP BY e.part, e.first, e.last
),
sets AS (
    SELECT
        m.*
    {% for piece in range(pieces) %}
        , ({{ (piece - piece % 5) | sql('m.m#') }} >> {{ (piece % 5 * 12) | integer }}) & 4095
            AS {{ piece | sql('b#') }}
    {% endfor %}
    FROM masks AS m
),
words AS (
    SELECT
        u.piece, u.bits,
        ', ' || STRING_AGG(t.element, ', ' ORDER BY t.turn NULLS FIRST) AS label,
        CAST(SUM(t.leaves) AS BIGINT) AS leaves,
        CAST(SUM(t.present) AS BIGINT) AS present
    FROM (
        {{ range(pieces) | each('SELECT DISTINCT # AS piece, s.b# AS bits FROM sets AS s',
            ' UNION ALL ') }}
    ) AS u
    JOIN turns AS t
        ON CAST(FLOOR(t.turn / 12.0) AS BIGINT) = u.piece
        AND (u.bits & (CAST(1 AS BIGINT) << CAST(t.turn % 12 AS INTEGER))) <> 0
    GROUP BY u.piece, u.bits
)
SELECT
    s.part, s.first, s.last,
    {% if a.bounds_type %}
    s.lo, s.hi,
    {% endif %}
    '{' || SUBSTR({{ range(pieces) | each("COALESCE(w#.label, '')", ' || ') }}, 3) || '}' AS label,
    {{ range(pieces) | each('COALESCE(w#.leaves, 0)', ' + ') }} AS leaves,
    {{ range(pieces) | each('COALESCE(w#.present, 0)', ' + ') }} AS present
FROM sets AS s
{{ range(pieces) | each('LEFT JOIN words AS w# ON w#.piece = # AND w#.bits = s.b#') }}
{% else %}
SELECT
    e.part, e.first, e.last,
    {% if a.bounds_type %}
    CASE WHEN MIN(t.code) > 0 AND COUNT(t.lo) = COUNT(*) THEN MIN(t.lo) END AS lo,
    CASE WHEN MIN(t.code) > 0 AND COUNT(t.hi) = COUNT(*) THEN MAX(t.hi) END AS hi,
    {% endif %}
    {% if array %}
    ARRAY_AGG(t.label ORDER BY t.turn NULLS FIRST) AS label,
    {% endif %}
    '{' || STRING_AGG(t.element, ', ' ORDER BY t.turn NULLS FIRST) || '}'
        AS {% if array %}text{% else %}label{% endif %},
    CAST(SUM(t.leaves) AS BIGINT) AS leaves,
    CAST(SUM(t.present) AS BIGINT) AS present
FROM elements AS e
JOIN turns AS t ON t.place = e.place
GROUP BY e.part, e.first, e.last
{% endif %}
