{# in: drawn (see release/drawn), names, ordering, table
   out: the table(names), rows in that order #}
CREATE TABLE {{ table | spark_ident }} AS
SELECT
{% for name in names %}
    r.{{ name | spark_ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ drawn | spark_ident }} AS r
ORDER BY r.{{ ordering | spark_ident }}
