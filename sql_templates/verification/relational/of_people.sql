{# The sensitive values that people have in any row of a table, -1 where they have no row.
   grain: one row per person and value
   in: verified_1, secrets (see verification/relational/secrets)
   out: a SELECT of (person, code) #}
SELECT DISTINCT t.id AS person, CASE WHEN w.person IS NULL THEN -1 ELSE w.code END AS code
FROM verified_1 AS t
LEFT JOIN secrets AS w ON w.person = t.id
