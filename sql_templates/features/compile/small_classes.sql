{# Offenders: classes of the release that are smaller than k.
   grain: one row per such class
   in: released table, labels (quasi-identifying columns) and bounds of them, k
   out: (labels, bounds, rows) #}
SELECT {{ labels | idents('r') }}, COUNT(*) AS class_size
FROM {{ table | ident }} AS r
GROUP BY {{ labels | idents('r') }}
HAVING COUNT(*) < {{ k | integer }}
