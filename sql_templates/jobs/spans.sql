{# How far a sensitive column's values lie apart in the classes of a release, or in its buckets or
   groups.
   grain: one row
   in: table (of the rows, or of the buckets), keys (the columns that name a class or a bucket), a
       (coded column)
   out: (the least span, the median one, the column's own: from the least to the greatest value of
       the table, NULL where no value is a number) #}
WITH numbered AS (
    SELECT {{ keys | idents('r') }},
        {% with value = ['r', a.name] %}{% include 'privacy/number.sql' %}{% endwith %} AS own_x
    FROM {{ table | ident }} AS r
),
spans AS (
    SELECT COALESCE(MAX(n.own_x) - MIN(n.own_x), 0) AS own_span
    FROM numbered AS n
    GROUP BY {{ keys | idents('n') }}
),
ranked AS (
    SELECT
        s.own_span,
        ROW_NUMBER() OVER (ORDER BY s.own_span NULLS FIRST) AS own_place,
        COUNT(*) OVER () AS own_classes
    FROM spans AS s
)
SELECT
    MIN(k.own_span) AS least,
    MAX(CASE WHEN 2 * k.own_place <= k.own_classes + 1 THEN k.own_span END) AS median,
    (SELECT MAX(n.own_x) - MIN(n.own_x) FROM numbered AS n) AS width
FROM ranked AS k
