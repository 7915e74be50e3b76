{# in: command, version, source, release (in words)
   out: the new run's number #}
INSERT INTO runs (run, command, version, started, status, source, release)
SELECT COALESCE(MAX(r.run), 0) + 1, {{ command | literal }}, {{ version | literal }},
    CURRENT_TIMESTAMP, 'running', {{ source | literal }}, {{ release | literal }}
FROM runs AS r
RETURNING run
