{# in: command, version, source, release (in words), account (of the operating system)
   out: the new run's number #}
INSERT INTO runs (run, command, version, started, status, source, release, account)
SELECT COALESCE(MAX(r.run), 0) + 1, {{ command | literal }}, {{ version | literal }},
    CURRENT_TIMESTAMP, 'running', {{ source | literal }}, {{ release | literal }},
    {{ account | literal }}
FROM runs AS r
RETURNING run
