{# How a ledger stands.
   grain: one row
   in: ledger_next, k, people (the number of the coded column that tells people apart, or 0)
   out: (rows that are released now, rows or people of the smallest trace, rows of traces that have
       fewer than k) #}
SELECT
    CAST(COALESCE(SUM(t.now), 0) AS BIGINT) AS released,
    COALESCE(MIN(t.least), 0) AS smallest,
    CAST(COALESCE(SUM(CASE WHEN t.least < {{ k | integer }} THEN t.n END), 0) AS BIGINT) AS exposed
FROM (
    SELECT
        l.trace, COUNT(*) AS n,
        {% if people %}COUNT(DISTINCT l.{{ ('y' ~ people) | ident }})
        {% else %}COUNT(*){% endif %} AS least,
        SUM(CASE WHEN l.released THEN 1 ELSE 0 END) AS now
    FROM ledger_next AS l
    GROUP BY l.trace
) AS t
