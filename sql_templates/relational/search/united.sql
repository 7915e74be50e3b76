{# All rows of some scratch tables with the same columns.
   grain: one row per row of the tables
   in: tables
   out: a SELECT of their columns #}
{% for table in tables %}
SELECT t.* FROM {{ table | ident }} AS t
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
