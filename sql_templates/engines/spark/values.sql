{# Rows that Python has, for this session alone; they need no storage. They come as data: statements
   and plans are for many eyes.
   in: given(given), one row, the rows as JSON, an array of arrays of texts; table, columns [(name,
       type)]
   out: a view with those rows #}
CREATE OR REPLACE TEMPORARY VIEW {{ table | backquoted }} AS
SELECT
{% for name, type in columns %}
    CAST(v.cells[{{ loop.index0 | integer }}] AS {{ type | sql_type }})
        AS {{ name | backquoted }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM (
    SELECT EXPLODE(FROM_JSON(g.given, 'ARRAY<ARRAY<STRING>>', MAP('mode', 'FAILFAST'))) AS cells
    FROM {{ given | backquoted }} AS g
) AS v
