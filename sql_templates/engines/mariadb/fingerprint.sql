{# What a table holds, in numbers of this engine's own: another content has other numbers.
   grain: one row
   in: relation, columns
   out: rows, and a sum of hashes of whole rows #}
SELECT
    COUNT(*) AS total,
    SUM(CAST(CONV(LEFT(MD5(
        {% if columns %}
        CONCAT_WS(','
        {%- for column in columns %}, QUOTE(s.{{ column.name | backquoted }}){% endfor %})
        {% else %}
        ''
        {% endif %}
    ), 15), 16, 10) AS UNSIGNED)) AS content
FROM {{ relation | backquoted }} AS s
