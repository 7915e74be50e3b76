{# Cells of a published table by two dimensions at certain levels, for a person to try.
   in: table, rows, columns (dimensions; columns none where the table has one), levels {column of
       levels: level}, measure #}
SELECT {{ rows | ident }}, {% if columns %}{{ columns | ident }}, {% endif -%}
    {{ measure | ident }}, {{ (measure ~ '_status') | ident }}
FROM {{ table | ident }}
{% for name, level in levels %}
{% if loop.first %}WHERE{% else %}    AND{% endif %} {{ name | ident }} = {{ level | integer }}
{% endfor %}
ORDER BY {{ rows | ident }}{% if columns %}, {{ columns | ident }}{% endif +%}
