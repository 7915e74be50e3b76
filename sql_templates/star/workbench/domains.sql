{# The values of each quasi-identifying column, which the workbench makes dimension tables of.
   grain: one row per attribute and distinct value; NULLs are left out
   in: combinations, attributes with their types (domains: name and type of each value's column)
   out: table domains(q1 … qn: one of them has a value, the others are NULL) #}
CREATE TABLE domains AS
{% for a in attributes %}
{% set own = loop.index %}
SELECT DISTINCT
    {% for column in domains %}
    {% if loop.index == own %}t.{{ column.name | ident }}{% else %}
    CAST(NULL AS {{ column.type | sql_type }}) AS {{ column.name | ident }}
    {%- endif %}{% if not loop.last %},{% endif +%}
    {% endfor %}
FROM combinations AS t
WHERE t.q# IS NOT NULL
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
