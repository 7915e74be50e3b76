{# The rows of a CSV file with types, and whether one of them has a value of another type.
   grain: one row per row of the file
   in: table, relation (of texts), columns (field, type, read_as: the type in which its values are
       read, kind, given: whether the policy gives the type; mark, format)
   out: the table with its columns and misfits #}
{% from 'engines/duckdb/macros.sql' import misfit, uncast, value %}
CREATE TABLE {{ table | ident }} AS
SELECT
{% for c in columns %}
    {% if c.type in (none, 'VARCHAR') %}
    t.{{ c.field | ident }},
    {% else %}
    CAST(t.{{ ('as_' ~ c.field) | ident }} AS {{ c.type | sql_type }}) AS {{ c.field | ident }},
    {% endif %}
{% endfor %}
{% for c in columns if c.type != 'VARCHAR' %}
    {% set x = ['t', 'as_' ~ c.field] %}
    {% if not loop.first %}OR {% endif %}({% if c.given %}
    {{ uncast(['t', c.field], c.read_as, c.kind, c.mark, c.format, x) }}
    {% else %}
    {{ misfit(['t', c.field], c.read_as, c.mark, c.format, x) }}
    {% endif %})
{% else %}
    FALSE
{% endfor %}
    AS misfits
FROM (
    SELECT
    {% for c in columns if c.type not in (none, 'VARCHAR') %}
        {{ value(['r', c.field], c.read_as, c.mark, c.format) }} AS {{ ('as_' ~ c.field) | ident }},
    {% endfor %}
        r.*
    FROM {{ relation | ident }} AS r
) AS t
