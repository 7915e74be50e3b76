{# The rows that are not held back, with their traces so far.
   grain: one row per row
   in: placed
   out: table named_rows(k: the key, trace: 0 where it was never released) #}
CREATE TABLE named_rows AS
SELECT p.k, p.trace FROM placed AS p WHERE p.part <> 0
