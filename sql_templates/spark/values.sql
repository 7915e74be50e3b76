{# Rows that Python has, for this session alone; they need no storage.
   in: table, columns [(name, type)], values
   out: a view with those rows #}
CREATE OR REPLACE TEMPORARY VIEW {{ table | spark_ident }} AS
SELECT
{% for name, type in columns %}
    CAST(v.{{ name | spark_ident }} AS {{ type | sql_type }}) AS {{ name | spark_ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM VALUES {{ values | spark_rows }} AS v ({% for name, type in columns %}{{ name | spark_ident }}{% if not loop.last %}, {% endif %}{% endfor %})
