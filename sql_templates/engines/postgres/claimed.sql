{# The server's own look-up sees what was committed by now, the query what had been when the
   transaction began.
   grain: one row
   in: claim, about (the release's table of facts), schema, name (of that)
   out: (is there a table by the name of the claim, is the release another than it was then) #}
SELECT
    TO_REGCLASS({{ claim | ident | literal }}) IS NOT NULL,
    CAST(TO_REGCLASS({{ about | ident | literal }}) AS OID) IS DISTINCT FROM (
        SELECT c.oid
        FROM pg_class AS c
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = {{ schema | literal }} AND c.relname = {{ name | literal }}
    )
