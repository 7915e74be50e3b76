{# grain: one row per session that holds the lock
   in: key (a number below 2^63)
   out: (what it says of itself, its number, its role, since when) #}
SELECT a.application_name, a.pid, a.usename, CAST(DATE_TRUNC('second', a.backend_start) AS TEXT)
FROM pg_locks AS l
JOIN pg_stat_activity AS a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
  AND CAST(l.classid AS BIGINT) * 4294967296 + CAST(l.objid AS BIGINT) = {{ key | integer }}
