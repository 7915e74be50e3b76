{# grain: one row per run, the latest first
   in: run (only this one, or none for all)
   out: (run, command, version, started, seconds, status, source, release, error, statements on the
       data's engine, account, report) #}
SELECT
    r.run, r.command, r.version, STRFTIME(r.started AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ'),
    ROUND(EXTRACT(EPOCH FROM r.ended - r.started), 3), r.status, r.source, r.release, r.error,
    (SELECT COUNT(*) FROM statements AS s WHERE s.run = r.run AND s.plane = 'data'), r.account,
    r.report
FROM runs AS r
{% if run is not none %}
WHERE r.run = {{ run | integer }}
{% endif %}
ORDER BY r.run DESC
