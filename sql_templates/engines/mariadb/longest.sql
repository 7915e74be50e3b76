{# The longest value of each of some text columns.
   grain: one row
   in: table, columns (by name)
   out: a column for each, in characters; 0 where there is no value #}
SELECT
{% for name in columns %}
    COALESCE(MAX(CHAR_LENGTH(s.{{ name | backquoted }})), 0)
        {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | backquoted }} AS s
