{# grain: one row per question and value
   in: portions (see query/portions)
   out: (question, value, forced, optional) #}
SELECT p.question, p.value, p.forced, p.optional FROM portions AS p
