{# The server's own look-up sees what was committed by now, the query what had been when the
   transaction began.
   grain: one row
   in: table
   out: (whether it is another table than it was then) #}
SELECT CAST(TO_REGCLASS({{ table | ident | literal }}) AS OID) IS DISTINCT FROM (
    SELECT c.oid
    FROM pg_class AS c
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = {{ table[0] | literal }} AND c.relname = {{ table[1] | literal }}
)
