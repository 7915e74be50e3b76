{# grain: one row per row of a table, in its order
   in: table, columns (name, form: text or hex)
   out: every value as text #}
SELECT
{% for column in columns %}
    {% if column.form == 'hex' %}HEX(s.{{ column.name | backquoted }})
        {% else %}CAST(s.{{ column.name | backquoted }} AS STRING){% endif %}
        AS c{{ loop.index | integer }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | backquoted }} AS s
