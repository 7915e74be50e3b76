{# The sessions that hold the lock that a session waits for.
   grain: one row per session that holds it
   in: pid (the process of the session that waits)
   out: (the table that is locked, NULL where the lock is on something else; the holder's process, 0
        for a prepared transaction; its role; its application_name; the begin of its transaction in
        UTC, NULL where this role may not see it) #}
SELECT
    (
        SELECT MIN(CAST(CAST(l.relation AS REGCLASS) AS TEXT))
        FROM pg_locks AS l
        WHERE l.pid = {{ pid | integer }} AND NOT l.granted AND l.locktype = 'relation'
    ),
    b.pid, CAST(a.usename AS TEXT), a.application_name,
    CAST(DATE_TRUNC('second', a.xact_start AT TIME ZONE 'UTC') AS TEXT)
FROM (SELECT DISTINCT u.pid FROM UNNEST(PG_BLOCKING_PIDS({{ pid | integer }})) AS u (pid)) AS b
LEFT JOIN pg_stat_activity AS a ON a.pid = b.pid
ORDER BY b.pid
