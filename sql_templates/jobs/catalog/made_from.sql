{# What a run's release was made from, where that is known.
   grain: at most one row
   in: run
   out: (fingerprint and number of the release) #}
SELECT r.made_from FROM runs AS r
WHERE r.run = {{ run | integer }} AND r.made_from IS NOT NULL
