{# The labels that an attribute's values are released with, numbered: equal labels, equal numbers.
   grain: one row per value
   in: a (attribute), dim_<index>, level
   out: table shown_labels_<index>(value, label, t: from 1) #}
CREATE TABLE {{ ('shown_labels_' ~ a.index) | ident }} AS
SELECT d.value, d.v{{ level | integer }} AS label,
    CAST(DENSE_RANK() OVER (
        ORDER BY d.v{{ level | integer }} NULLS FIRST
    ) AS INTEGER) AS t
FROM dim_# AS d
