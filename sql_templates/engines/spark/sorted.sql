{# Comments and declared lengths of the source's columns go with casts; a comment on a column would
   follow it into the release otherwise.
   in: drawn (see release/drawn), types [(name, type, or none for what is nested)], ordering, table
   out: the table, rows in that order #}
CREATE TABLE {{ table | backquoted }} AS
SELECT
{% for name, type in types %}
    {% if type %}CAST(r.{{ name | backquoted }} AS {{ type | sql_type }})
        {% else %}IF(TRUE, r.{{ name | backquoted }}, NULL)
        {% endif %} AS {{ name | backquoted }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ drawn | backquoted }} AS r
ORDER BY r.{{ ordering | backquoted }}
