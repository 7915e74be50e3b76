{# The values of a quasi-identifying column that the data has, in their order.
   grain: one row per value
   in: a (attribute), dim_<index>
   out: table domain_<index>(code, value, place: from 1; NULL has the code and the place 0) #}
CREATE TABLE domain_{{ a.index | integer }} AS
SELECT
    o.code,
    o.value,
    ROW_NUMBER() OVER (ORDER BY o.place NULLS FIRST){% if a.nulls %} - 1{% endif %} AS place
FROM (
    {% include 'single/ordered.sql' %}
) AS o
WHERE o.value IS NOT NULL{% if a.nulls %} OR o.code = 0{% endif +%}
