{# in: command, version
   out: the new run's number #}
INSERT INTO runs (run, command, version, started, status)
SELECT COALESCE(MAX(r.run), 0) + 1, {{ command | literal }}, {{ version | literal }}, CURRENT_TIMESTAMP, 'running'
FROM runs AS r
RETURNING run
