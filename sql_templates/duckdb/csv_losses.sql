{# Whether the types found in a CSV file keep its text: 02174 is no number and 1/21/76 no date, for they would come
   back as other text. Numbers with a point are let off.
   grain: one row
   in: source_text, columns (name, type)
   out: for each column the number of values that its type would change #}
SELECT
{% for column in columns %}
    {% if column.type == 'VARCHAR' %}
    0{% if not loop.last %},{% endif +%}
    {% elif column.type == 'DOUBLE' %}
    COUNT(*) FILTER (WHERE {{ column.name | ident }} IS NOT NULL AND NOT REGEXP_FULL_MATCH({{ column.name | ident }}, '-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?([eE][-+]?[0-9]{1,2})?')){% if not loop.last %},{% endif +%}
    {% else %}
    COUNT(*) FILTER (WHERE {{ column.name | ident }} IS NOT NULL AND COALESCE(CAST(TRY_CAST({{ column.name | ident }} AS {{ column.type | sql_type }}) AS VARCHAR), '') <> {{ column.name | ident }}){% if not loop.last %},{% endif +%}
    {% endif %}
{% endfor %}
FROM source_text
