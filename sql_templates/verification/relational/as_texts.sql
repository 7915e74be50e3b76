{# Columns of a released table as texts, on their way to another engine.
   grain: one row per row
   in: table, columns (names)
   out: a SELECT of the columns #}
SELECT
{% for name in columns %}
    CAST(p.{{ name | ident }} AS VARCHAR) AS {{ name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS p
