{# The rows of the source that are held back.
   grain: one row per row
   in: placed
   out: table held(k) #}
CREATE TABLE held AS
SELECT p.k FROM placed AS p WHERE p.part = 0
