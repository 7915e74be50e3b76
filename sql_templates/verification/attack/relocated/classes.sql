{# The values of the data that nothing in the release tells apart: those that the same released
   labels stand for and, where the level of these is told, that lie in one group of it.
   grain: one row per value
   in: a (attribute), dim_<index>, covers_<index>(label, code), level (of the released labels, or
       none)
   out: table classes_<index>(code, class: from 1) #}
CREATE TABLE classes_# AS
SELECT
    d.code,
    DENSE_RANK() OVER (ORDER BY
        {% if level is not none %}d.g{{ level | integer }} NULLS FIRST,
        {% endif %}
        COALESCE(u.labels, '') NULLS FIRST) AS class
FROM dim_# AS d
LEFT JOIN (
    SELECT c.code, STRING_AGG(CAST(c.label AS VARCHAR), ',' ORDER BY c.label NULLS FIRST) AS labels
    FROM covers_# AS c
    GROUP BY c.code
) AS u ON u.code = d.code
