{# The leaves of a hierarchy that a release publishes, with their labels at some levels.
   grain: one row per leaf
   in: index (of the column), name (of the column), table (of the release), levels (their numbers),
       height (the number of the top level)
   out: table completed_leaves_<index>(atom: from 0 in the order of the leaves, none of NULL,
       l<level> for each of the levels) #}
CREATE OR REPLACE TABLE {{ ('completed_leaves_' ~ index) | ident }} AS
SELECT
    CASE WHEN l.label IS NOT NULL
        THEN ROW_NUMBER() OVER (PARTITION BY l.label IS NULL ORDER BY l.place) - 1 END AS atom
    {% for level in levels %}
    , {% if level == 0 %}l.label{% elif level == 1 %}l.parent
    {%- else %}p{{ (level - 1) | integer }}.parent{% endif %}
        AS {{ ('l' ~ level) | ident }}
    {% endfor %}
FROM {{ table | ident }} AS l
{% for level in range(1, levels[-1]) %}
LEFT JOIN (
    SELECT q.label, MIN(q.parent) AS parent
    FROM {{ table | ident }} AS q
    WHERE q.column_name = {{ name | literal }} AND q.level = {{ level | integer }}
    GROUP BY q.label
) AS p{{ level | integer }} ON p{{ level | integer }}.label =
    {% if level == 1 %}l{% else %}p{{ (level - 1) | integer }}{% endif %}.parent
{% endfor %}
WHERE l.column_name = {{ name | literal }} AND l.level = 0
