{# How wide the released intervals of a column of numbers or dates are.
   grain: one row
   in: table (the released rows), name (of the column), a (its coded bounds)
   out: (the width that nine of ten rows do not exceed, of dates in days; NULL where more than one
       of ten have no bounds) #}
WITH widths AS (
    SELECT CASE WHEN r.{{ name | ident }} IS NULL THEN 0 ELSE
        (
        {% with value = ['r', name ~ '_hi'] %}{% include 'privacy/number.sql' %}{% endwith %}
        ) - (
        {% with value = ['r', name ~ '_lo'] %}{% include 'privacy/number.sql' %}{% endwith %}
        ) END AS own_width
    FROM {{ table | ident }} AS r
),
ranked AS (
    SELECT
        w.own_width,
        ROW_NUMBER() OVER (ORDER BY w.own_width NULLS LAST) AS own_place,
        COUNT(*) OVER () AS own_rows
    FROM widths AS w
)
SELECT MIN(CASE WHEN 10 * k.own_place >= 9 * k.own_rows THEN k.own_width END) AS width
FROM ranked AS k
