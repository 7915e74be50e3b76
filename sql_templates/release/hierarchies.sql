{# The labels of the hierarchies that are released.
   grain: one row per column, level and label
   in: told_hierarchies (no data: what the policy says), titles (of its columns)
   out: those columns #}
SELECT
    {{ titles | idents('h') }}
FROM told_hierarchies AS h
