{# grain: one row per column of a table, in order
   in: table (database and name)
   out: (name, type as it was declared) #}
SELECT c.name, c.type
FROM PRAGMA_TABLE_XINFO({{ table[1] | literal }}, {{ table[0] | literal }}) AS c
ORDER BY c.cid
