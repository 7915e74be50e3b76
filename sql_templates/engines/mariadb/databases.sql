{# grain: one row per database that the user sees
   out: (name) #}
SELECT s.SCHEMA_NAME FROM information_schema.SCHEMATA AS s ORDER BY s.SCHEMA_NAME
