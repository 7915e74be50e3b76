{# The rows of a hierarchy that lists its leaves, each once, in the order that they are given in.
   Places are in the order of intervals of names: siblings side by side, each label where its first
   leaf is listed, what NULL belongs to first, NULL itself after all. One thread reads a file: line
   feeds in quotes mislead several.
   grain: one row per leaf
   in: number (of the hierarchy), levels (their numbers), path and delimiter (of its file, NULL
       where its rows are the table labels_rows: line, c0 …), file (whether an empty first cell
       is NULL)
   out: table labels_tree_<number>(line, place, l0, l1 …: the labels from level 0 to the top) #}
CREATE OR REPLACE TABLE {{ ('labels_tree_' ~ number) | ident }} AS
WITH
read AS (
    {% if path %}
    SELECT
        ROW_NUMBER() OVER () AS line,
        {% for level in levels %}
        COALESCE(f.{{ ('c' ~ level) | ident }}, '') AS {{ ('c' ~ level) | ident }}
            {%- if not loop.last %},{% endif +%}
        {% endfor %}
    FROM READ_CSV(
        {{ path | file }},
        delim = {{ delimiter | literal }}, header = FALSE, quote = '"', escape = '"',
            all_varchar = TRUE, hive_partitioning = FALSE,
        auto_detect = FALSE, strict_mode = TRUE, parallel = FALSE, max_line_size = 100000000,
        columns = {
        {% for level in levels %}
            {{ ('c' ~ level) | literal }}: 'VARCHAR'{% if not loop.last %}, {% endif %}
        {% endfor %}
        }
    ) AS f
    {% else %}
    SELECT r.* FROM labels_rows AS r
    {% endif %}
),
rows_once AS (
    SELECT
        MIN(r.line) AS line,
        {% if file %}NULLIF(r.c0, ''){% else %}r.c0{% endif %} AS l0
        {% for level in levels if level %}
        , r.{{ ('c' ~ level) | ident }} AS {{ ('l' ~ level) | ident }}
        {% endfor %}
    FROM read AS r
    GROUP BY
    {% for level in levels %}
        r.{{ ('c' ~ level) | ident }}{% if not loop.last %},{% endif +%}
    {% endfor %}
){% for level in levels[1:-1] %}
,
first_{{ level | integer }} AS (
    SELECT
        o.{{ ('l' ~ level) | ident }} AS label,
        MIN(CASE WHEN o.l0 IS NULL THEN -1 ELSE o.line END) AS line
    FROM rows_once AS o
    GROUP BY o.{{ ('l' ~ level) | ident }}
)
{% endfor %}
SELECT
    ROW_NUMBER() OVER (
        ORDER BY
            o.l0 IS NULL,
            {{ levels[1:-1][::-1] | each('f#.line,') }}
            o.line
    ) - 1 AS place,
    o.line
    {% for level in levels %}
    , o.{{ ('l' ~ level) | ident }}
    {% endfor %}
FROM rows_once AS o
{% for level in levels[1:-1] %}
JOIN first_{{ level | integer }} AS f{{ level | integer }}
    ON f{{ level | integer }}.label IS NOT DISTINCT FROM o.{{ ('l' ~ level) | ident }}
{% endfor %}
