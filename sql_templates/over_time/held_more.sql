{# More rows of the source are held back.
   in: placed
   out: rows of held(k) #}
INSERT INTO held
SELECT p.k FROM placed AS p WHERE p.part = 0
