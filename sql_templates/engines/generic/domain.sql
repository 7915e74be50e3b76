{# The domain of an attribute.
   grain: one row per distinct value but NULL
   in: combinations, a (attribute)
   out: (value) #}
SELECT DISTINCT t.q# AS value
FROM combinations AS t
WHERE t.q# IS NOT NULL
