{# The rows of a hierarchy that lists its leaves, each once, in the order that they are given in.
   Places are in the order of intervals of names: siblings side by side, each label where its first
   leaf is listed, what NULL belongs to first, NULL itself after all. Leaves are put in order by the
   number of their branch, all labels above them together, so that no text is sorted a leaf. One
   thread reads a file: line feeds in quotes mislead several.
   grain: one row per leaf
   in: number (of the hierarchy), levels (their numbers), path and delimiter (of its file, NULL
       where its rows are the table labels_rows: line, c0 …), file (whether an empty first cell
       is NULL)
   out: table labels_tree_<number>(line, place, l0, l1 …: the labels from level 0 to the top) #}
{% set above = levels[1:] %}
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
        {{ above | each(', r.c# AS l#') }}
    FROM read AS r
    GROUP BY {{ levels | listed('r.c#') }}
),
branches AS (
    SELECT
        {{ above | each('f.l#,') }}
        ROW_NUMBER() OVER (ORDER BY {{ above[::-1] | listed('f.first#') }}) AS branch
    FROM (
        SELECT
            {{ above | each('b.l#,') }}
            {{ above | listed('MIN(b.line) OVER (PARTITION BY b.l#) AS first#') }}
        FROM (
            SELECT
                {{ above | each('o.l#,') }}
                MIN(CASE WHEN o.l0 IS NULL THEN -1 ELSE o.line END) AS line
            FROM rows_once AS o
            GROUP BY {{ above | listed('o.l#') }}
        ) AS b
    ) AS f
),
places AS (
    SELECT
        n.line,
        ROW_NUMBER() OVER (ORDER BY n.lacking, n.branch, n.line) - 1 AS place
    FROM (
        SELECT o.line, o.l0 IS NULL AS lacking, b.branch
        FROM rows_once AS o
        JOIN branches AS b ON {{ above | each('b.l# = o.l#', ' AND ') }}
    ) AS n
)
SELECT p.place, o.line {{ levels | each(', o.l#') }}
FROM rows_once AS o
JOIN places AS p ON p.line = o.line
