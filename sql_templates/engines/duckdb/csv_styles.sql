{# How the values of a CSV file's columns are written.
   grain: one row
   in: table (of texts), names (of its columns), styles (regular expressions)
   out: for each column, how many values it has, how many distinct ones, and how many are written in
       each style #}
SELECT
{% for name in names %}
    {% set last = loop.last %}
    COUNT({{ name | ident }}),
    COUNT(DISTINCT {{ name | ident }}),
    {% for style in styles %}
    COUNT(*) FILTER (WHERE REGEXP_FULL_MATCH({{ name | ident }},
        {{ style | literal }})){% if not (last and loop.last) %},{% endif +%}
    {% endfor %}
{% endfor %}
FROM {{ table | ident }}
