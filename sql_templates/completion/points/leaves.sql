{# The leaves of a hierarchy whose labels a release publishes, with their labels at some levels.
   grain: one row per leaf
   in: index (of the column), name (of the column), table (of the release), levels (their numbers)
   out: table completed_leaves_<index>(atom: from 0 in the order of the leaves, none of NULL,
       l<level> for each of the levels) #}
CREATE OR REPLACE TABLE {{ ('completed_leaves_' ~ index) | ident }} AS
SELECT
    CASE WHEN p.l0 IS NOT NULL
        THEN ROW_NUMBER() OVER (PARTITION BY p.l0 IS NULL ORDER BY p.place) - 1 END AS atom
    {% for level in levels %}
    , p.{{ ('l' ~ level) | ident }}
    {% endfor %}
FROM (
    SELECT
        l.place
        {% for level in levels %}
        , MAX(CASE WHEN l.level = {{ level | integer }} THEN l.label END)
            AS {{ ('l' ~ level) | ident }}
        {% endfor %}
    FROM {{ table | ident }} AS l
    WHERE l.column_name = {{ name | literal }}
    GROUP BY l.place
) AS p
