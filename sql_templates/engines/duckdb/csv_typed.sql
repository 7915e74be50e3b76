{# The rows of a CSV file with types, and whether one of them has a value of another type.
   grain: one row per row of the file
   in: table, relation (of texts), columns (field, type, kind, given: whether the policy gives the type;
       comma, format)
   out: the table with its columns and misfits #}
{% from 'engines/duckdb/macros.sql' import misfit, uncast, value %}
CREATE TABLE {{ table | ident }} AS
SELECT
{% for c in columns %}
    {{ value(['t', c.field], c.type or 'VARCHAR', c.comma, c.format) }} AS {{ c.field | ident }},
{% endfor %}
{% for c in columns if c.type != 'VARCHAR' %}
    {% if not loop.first %}OR {% endif %}({% if c.given %}
    {{ uncast(['t', c.field], c.type, c.kind, c.comma, c.format) }}
    {% else %}
    {{ misfit(['t', c.field], c.type, c.comma, c.format) }}
    {% endif %})
{% else %}
    FALSE
{% endfor %}
    AS misfits
FROM {{ relation | ident }} AS t
