{# What stands in columns that replace identifying ones.
   grain: one row
   in: table, replaced {column: 'surrogate', 'null' or 'constant'}
   out: for each column three numbers: of surrogates how many differ, the least and the greatest; of
       the others how many rows have something else, and 0 twice #}
SELECT
{% for name in replaced %}
    {% if replaced[name] == 'surrogate' %}
    COUNT(DISTINCT r.{{ name | ident }}),
    MIN(r.{{ name | ident }}),
    MAX(r.{{ name | ident }})
    {%- elif replaced[name] == 'null' %}
    COUNT(CASE WHEN CAST(r.{{ name | ident }} AS VARCHAR) IS NOT NULL THEN 1 END), 0, 0
    {%- else %}
    COUNT(*) - COUNT(CASE WHEN CAST(r.{{ name | ident }} AS VARCHAR) = '*' THEN 1 END), 0, 0
    {%- endif %}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS r
