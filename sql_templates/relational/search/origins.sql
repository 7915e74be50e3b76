{# The tables that struck rows are of.
   grain: one row per table
   in: struck
   out: (number) #}
SELECT DISTINCT x.origin FROM struck AS x
