{# grain: one row
   in: members_0
   out: the greatest number of a part #}
SELECT CAST(COALESCE(MAX(m.part), 0) AS BIGINT) AS part
FROM members_0 AS m
