{# grain: one row where a relation is a view
   in: relation
   out: (whose rights it is read with: DEFINER or INVOKER; whether this user made it; its text as
        far as this user may see it) #}
SELECT v.SECURITY_TYPE, v.DEFINER = CURRENT_USER() AS own, v.VIEW_DEFINITION
FROM information_schema.VIEWS AS v
WHERE v.TABLE_SCHEMA = {{ relation[0] | escaped }} AND v.TABLE_NAME = {{ relation[1] | escaped }}
