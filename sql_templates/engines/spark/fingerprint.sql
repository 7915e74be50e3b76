{# What a table holds, in numbers of this engine's own: another content has other numbers.
   grain: one row
   in: relation, columns and their names
   out: rows, then a sum of hashes for each column, and one for whole rows #}
SELECT
    COUNT(*)
{% for column in columns %}
    , SUM(CAST(XXHASH64({% if column.exact %}s.{{ column.name | backquoted }}
        {% else %}CAST(s.{{ column.name | backquoted }} AS STRING){% endif %}) AS DECIMAL(38, 0)))
{% endfor %}
    , SUM(CAST(XXHASH64(
    {% for column in columns %}
        {% if column.exact %}s.{{ column.name | backquoted }}
            {% else %}CAST(s.{{ column.name | backquoted }} AS STRING){% endif %},
            s.{{ column.name | backquoted }} IS NULL{% if not loop.last %},{% endif +%}
    {% endfor %}
    ) AS DECIMAL(38, 0)))
FROM {{ relation | backquoted }} AS s
