{# The labels of the hierarchies that are released.
   grain: one row per column, level and label
   in: told_hierarchies (no data: what the policy says), titles (of its columns), ordering
   out: those columns and the ordering #}
SELECT
    {{ titles | each('h.@,') }}
    h.{{ ordering | ident }}
FROM told_hierarchies AS h
