{# Whether the values that a Parquet file has besides its rows, in its dictionaries and statistics,
   are those of its rows. Row groups are told apart by the numbers of rows in the file.
   grain: one row
   in: path, column of the table, steps (list, key or value) to the values in it, values (path of a Parquet file of (row_group, kind: 0 of a dictionary, 1 the
       least, 2 the greatest, value)), groups (a table of row_group, start, entries, nulls, nans;
       NULL where nothing is said), floating (whether values can be NaN), numbered (whether
       DuckDB may number the rows, as it may unless a column is called like its numbers)
   out: how many dictionary values no row has, how many least and greatest values are others than
        those of the rows, how many row groups have other numbers of NULL and NaN than is said #}
WITH {% if steps %}leaf0{% else %}leaf{% endif %} AS (
    SELECT g.row_group, r.value
    FROM (
        SELECT
            p.{{ column | ident }} AS value,
            {% if numbered %}p.file_row_number{% else %}ROW_NUMBER() OVER () - 1{% endif +%}
            AS row_number
        FROM READ_PARQUET(
            {{ path | file }}, hive_partitioning = FALSE
            {% if numbered %}, file_row_number = TRUE{% endif +%}
        ) AS p
    ) AS r
    ASOF JOIN {{ groups | ident }} AS g ON r.row_number >= g.start
),
{% for step in steps %}
{% if loop.last %}leaf{% else %}{{ ('leaf' ~ loop.index) | ident }}{% endif %} AS (
    SELECT
        p.row_group,
        {% if step == 'list' %}
        UNNEST(p.value) AS value
        {% elif step == 'key' %}
        UNNEST(MAP_KEYS(p.value)) AS value
        {% else %}
        UNNEST(MAP_VALUES(p.value)) AS value
        {% endif %}
    FROM {{ ('leaf' ~ loop.index0) | ident }} AS p
),
{% endfor %}
besides AS (
    SELECT v.row_group, v.kind, v.value
    FROM READ_PARQUET({{ values | file }}, hive_partitioning = FALSE) AS v
),
counted AS (
    SELECT
        p.row_group, COUNT(p.value) AS present, MIN(p.value) AS least, MAX(p.value) AS greatest,
        {% if floating %}COUNT(CASE WHEN ISNAN(p.value) THEN 1 END){% else %}0{% endif +%}
        AS nans
    FROM leaf AS p
    GROUP BY p.row_group
)
SELECT
    (
        SELECT COUNT(*)
        FROM besides AS b
        WHERE b.kind = 0 AND NOT EXISTS (
            SELECT 1
            FROM leaf AS p
            WHERE p.row_group = b.row_group AND p.value = b.value
        )
    ),
    (
        SELECT COUNT(*)
        FROM besides AS b
        LEFT JOIN counted AS c ON c.row_group = b.row_group
        WHERE b.kind = 1 AND c.least IS DISTINCT FROM b.value
            OR b.kind = 2 AND c.greatest IS DISTINCT FROM b.value
    ),
    (
        SELECT COUNT(*)
        FROM {{ groups | ident }} AS g
        LEFT JOIN counted AS c ON c.row_group = g.row_group
        WHERE g.nulls <> g.entries - COALESCE(c.present, 0) OR g.nans <> COALESCE(c.nans, 0)
    )
