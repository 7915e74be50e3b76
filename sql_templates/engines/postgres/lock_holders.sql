{# grain: one row per session that another waits for
   in: pid (of the one that waits)
   out: (the table whose lock it is, if it is a table's, its number or 0 for a prepared transaction,
        its role, what it calls itself, since when its transaction runs, if that may be seen) #}
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
