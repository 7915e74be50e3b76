{# The rows of the source that some level can release, with their traces so far.
   grain: one row per row
   in: source, key (a column), ledger_rows, ledger_secret, hash (the engine's template of a keyed
       hash), k
   out: table named_rows(k: the key, trace: 0 where it was never released) #}
CREATE TABLE named_rows AS
SELECT v.k, v.trace
FROM (
    SELECT u.k, u.trace, COUNT(*) OVER (PARTITION BY u.trace) AS n
    FROM (
        SELECT t.k, COALESCE(l.trace, 0) AS trace
        FROM (
            SELECT
                w.k,
                {% with hashed = ['w', 'w'] %}{% include hash ~ '.sql' %}{% endwith %} AS h
            FROM (
                SELECT {{ key | value('s') }} AS k, CAST({{ key | value('s') }} AS VARCHAR) AS w
                FROM {{ source | ident }} AS s
            ) AS w
        ) AS t
        LEFT JOIN ledger_rows AS l ON l.h = t.h
    ) AS u
) AS v
WHERE v.n >= {{ k | integer }}
