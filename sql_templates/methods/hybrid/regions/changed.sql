{# What relocation changed. A row that goes where its values are released anyway is as it was.
   grain: one row
   in: spots, boxes, fates(part, target: the same where it does not move as a whole), taken when
       split, attributes, forms, split
   out: (rows of which a cell changed, cells that changed of every attribute, in their order) #}
{% from 'methods/hybrid/regions/macros.sql' import inside, outside %}
SELECT
    CAST(COALESCE(SUM(CASE
        WHEN {{ outside(attributes, forms) }} > 0 THEN s.moved ELSE 0 END),
        0) AS BIGINT) AS changed
{% for a in attributes %}
    , CAST(COALESCE(SUM(CASE
        WHEN {{ inside(a, forms) }} THEN 0 ELSE s.moved END),
        0) AS BIGINT) AS changed_#
{% endfor %}
FROM (
    SELECT o.*, f.target, o.n AS moved
    FROM spots AS o
    JOIN fates AS f ON f.part = o.part
    WHERE f.target <> f.part
{% if split %}
    UNION ALL
    SELECT o.*, g.target, g.n AS moved
    FROM taken AS g
    JOIN spots AS o
        ON o.part = g.part {{ attributes | each('AND o.p# = g.p#') }}
{% endif %}
) AS s
JOIN boxes AS b ON b.part = s.target
