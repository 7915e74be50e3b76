{# In how many rows columns are *.
   grain: one row
   in: table (the released rows), columns (names of columns of labels)
   out: (rows), then (rows where it is *) for every column #}
SELECT
    COUNT(*) AS n
    {% for column in columns %}
    , COUNT(CASE WHEN t.{{ column | ident }} = '*' THEN 1 END) AS starred_{{ loop.index | integer }}
    {% endfor %}
FROM {{ table | ident }} AS t
