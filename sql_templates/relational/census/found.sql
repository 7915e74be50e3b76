{# The people who have what is rare.
   grain: one row per person
   in: rare (see relational/census/rare), suspects (see relational/census/suspects), least and most
       (how many rows are known), kinds and some (see
       relational/census/counts)
   out: a SELECT of (person, origin, parent, class) as of struck people #}
{% from 'relational/census/macros.sql' import together %}
SELECT v.holder AS person, 1 AS origin, v.holder AS parent, MIN(v.own) AS class
FROM (
    {{ together('suspects', ['holder', 'own'], least, most, true, some, kinds) }}
) AS v
JOIN rare AS r ON r.own = v.own {{ kinds | each('AND r.@ = v.@') }}
GROUP BY v.holder
