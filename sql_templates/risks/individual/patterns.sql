{# Which columns are NULL together.
   grain: one row per pattern, in order
   in: risk_cells
   out: (pattern) #}
SELECT DISTINCT c.pattern FROM risk_cells AS c ORDER BY c.pattern
