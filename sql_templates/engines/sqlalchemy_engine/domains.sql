{# What star/workbench/domains makes, for databases without GROUPING SETS.
   grain: one row per attribute and distinct value
   in: combinations, attributes
   out: table domains(q1 … qn: one of them has a value, the others are NULL) #}
CREATE TABLE domains AS
{% for a in attributes %}
SELECT
    {% for other in attributes %}
    {% if other.index == a.index %}d.q#{% else %}NULL{% endif %}
        AS {{ other | sql('q#') }}{% if not loop.last %},{% endif +%}
    {% endfor %}
FROM (SELECT DISTINCT t.q# FROM combinations AS t) AS d
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
