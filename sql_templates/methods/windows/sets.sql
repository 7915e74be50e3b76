{# What is released of each span of an attribute as a set of its values: numbers and dates in their
   order, others in the alphabet's; what is between the least and the greatest is not in it. Of an
   attribute with few values each different set is put into words once: bit number p of a whole
   number says whether a span has the value at place p.
   grain: one row per span of more than one value
   in: what methods/windows/elements takes, dim_<index>, array (whether sets are arrays), narrow
       (whether the attribute has so few values)
   out: table labels_<index>(part, first, last, label, text: the label as text, when array, leaves,
       present, lo and hi where there are bounds) #}
{% from 'methods/groups/macros.sql' import element %}
CREATE TABLE labels_# AS
{% with repeated = narrow %}{% include 'methods/windows/elements.sql' %}{% endwith %}
{% if narrow %}
,
masks AS (
    SELECT
        e.part, e.first, e.last,
        BIT_OR(CAST(1 AS BIGINT) << CAST(e.place AS INTEGER)) AS mask
    FROM elements AS e
    GROUP BY e.part, e.first, e.last
)
SELECT
    m.part, m.first, m.last, w.label,
{% if array %}
    w.text,
{% endif %}
{% if a.bounds_type %}
    w.lo, w.hi,
{% endif %}
    w.leaves, w.present
FROM masks AS m
JOIN (
    SELECT
        u.mask,
{% else %}
SELECT
    e.part, e.first, e.last,
{% endif %}
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
{% if narrow %}
    FROM (SELECT DISTINCT n.mask FROM masks AS n) AS u
    JOIN places AS t
        ON t.attribute = #
        AND (u.mask & (CAST(1 AS BIGINT) << CAST(t.place AS INTEGER))) <> 0
    {% if a.bounds_type %}
    JOIN dim_# AS d ON d.code = t.code
    {% endif %}
    GROUP BY u.mask
) AS w ON w.mask = m.mask
{% else %}
FROM elements AS e
JOIN places AS t ON t.attribute = # AND t.place = e.place
{% if a.bounds_type %}
JOIN dim_# AS d ON d.code = t.code
{% endif %}
GROUP BY e.part, e.first, e.last
{% endif %}
