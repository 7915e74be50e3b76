{# Comments and declared lengths of the source's columns go with casts; a comment on a column would
   follow it into the release otherwise.
   in: drawn (see release/drawn), types [(name, type, or none for what is nested)], ordering, table
   out: the table, rows in that order #}
CREATE TABLE {{ table | spark_ident }} AS
SELECT
{% for name, type in types %}
    {% if type %}CAST(r.{{ name | spark_ident }} AS {{ type | sql_type }})
        {% else %}IF(TRUE, r.{{ name | spark_ident }}, NULL)
        {% endif %} AS {{ name | spark_ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ drawn | spark_ident }} AS r
ORDER BY r.{{ ordering | spark_ident }}
