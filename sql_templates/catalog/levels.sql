{# grain: one row per quasi-identifying column
   in: run
   out: (column, level) that the run published #}
SELECT p.column_name, p.level
FROM releases AS p
WHERE p.run = {{ run | integer }}
