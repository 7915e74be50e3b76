{# What is released of each span of an attribute as a set of its values: numbers and dates in their
   order, others in the alphabet's; what is between the least and the greatest is not in it.
   grain: one row per span of more than one value
   in: what methods/windows/elements takes, dim_<index>, array (whether sets are arrays)
   out: table labels_<index>(part, first, last, label, text: the label as text, when array, leaves,
       present, lo and hi where there are bounds) #}
{% from 'methods/groups/macros.sql' import element %}
CREATE TABLE labels_# AS
{% include 'methods/windows/elements.sql' %}
SELECT
    e.part, e.first, e.last,
{% if array %}
    ARRAY_AGG(t.label
        ORDER BY {% if a.sorts %}t.place{% else %}t.word{% endif %} NULLS FIRST) AS label,
    '{' || STRING_AGG(
        {{ element(['t', 'label']) }}, ', '
        ORDER BY {% if a.sorts %}t.place{% else %}t.word{% endif %} NULLS FIRST) || '}' AS text,
{% else %}
    '{' || STRING_AGG(
        {{ element(['t', 'label']) }}, ', '
        ORDER BY {% if a.sorts %}t.place{% else %}t.word{% endif %} NULLS FIRST) || '}' AS label,
{% endif %}
{% if a.bounds_type %}
    CASE WHEN MIN(t.code) > 0 THEN MIN(d.lo{{ a.min_level | integer }}) END AS lo,
    CASE WHEN MIN(t.code) > 0 THEN MAX(d.hi{{ a.min_level | integer }}) END AS hi,
{% endif %}
    CAST(SUM(t.leaves) AS BIGINT) AS leaves,
    CAST(SUM(t.present) AS BIGINT) AS present
FROM elements AS e
JOIN places AS t ON t.attribute = # AND t.place = e.place
{% if a.bounds_type %}
JOIN dim_# AS d ON d.code = t.code
{% endif %}
GROUP BY e.part, e.first, e.last
