{# What is released of each span of an attribute as the lowest node of its hierarchy above all its
   values.
   grain: one row per span of more than one value
   in: what methods/windows/elements takes, dim_<index>, nodes
   out: table labels_<index>(part, first, last, label, leaves, present, lo and hi where there are
       bounds) #}
CREATE TABLE labels_# AS
{% with repeated = false %}{% include 'methods/windows/elements.sql' %}{% endwith %},
lowest AS (
    SELECT
        e.part, e.first, e.last,
        MIN(t.code) AS code,
        CASE
            {{ range(a.min_level + 1, a.height) | each('WHEN MIN(d.g#) = MAX(d.g#) THEN #') }}
            WHEN TRUE THEN {{ a.height | integer }}
        END AS level
    FROM elements AS e
    JOIN places AS t ON t.attribute = # AND t.place = e.place
    JOIN dim_# AS d ON d.code = t.code
    GROUP BY e.part, e.first, e.last
)
SELECT
    w.part, w.first, w.last,
    CASE w.level
        {{ range(a.min_level, a.height + 1) | each('WHEN # THEN d.v#') }}
    END AS label,
    {% if a.bounds_type %}
    {% for bound in ('lo', 'hi') %}
    CASE w.level
    {% for level in range(a.min_level, a.height + 1) %}
        WHEN {{ level | integer }} THEN d.{{ (bound ~ level) | ident }}
    {% endfor %}
    END AS {{ bound | ident }},
    {% endfor %}
    {% endif %}
    n.leaves, n.present
FROM lowest AS w
JOIN dim_# AS d ON d.code = w.code
JOIN (
    {# the group codes of a level are those of its first members #}
    SELECT k.level, k.code, k.leaves, k.present FROM nodes AS k WHERE k.attribute = #
) AS n ON n.level = w.level AND n.code = CASE w.level
        {{ range(a.min_level, a.height + 1) | each('WHEN # THEN d.g#') }}
    END
