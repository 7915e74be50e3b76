{# grain: one row per quasi-identifying column
   in: run
   out: (column, level, digest of the hierarchy) that the run published #}
SELECT p.column_name, p.level, p.hierarchy
FROM releases AS p
WHERE p.run = {{ run | integer }}
