{# The combinations of values of a table, numbered. Values are replaced by numbers where a hash of
   them would not do: two that are told apart stay so.
   grain: one row per combination
   in: table, columns (as star/value takes them), rows (a condition on labels; none: all rows),
       masked (label columns that are all * in rows that do not count; none: all rows count)
   out: table suda_cells_1(cell: its number, n: rows, v<position>: its values, b0: 0) #}
CREATE TABLE suda_cells_1 AS
SELECT
    ROW_NUMBER() OVER () AS cell,
    g.n,
    {{ columns | each('g.v$,') }}
    CAST(0 AS BIGINT) AS b0
FROM (
    SELECT {{ columns | each('@(s) AS v$,') }} COUNT(*) AS n
    FROM {{ table | ident }} AS s
    {% if masked %}
    WHERE NOT ({{ masked | each("COALESCE(s.@, '') = '*'", ' AND ') }})
    {% endif %}
    GROUP BY {{ columns | listed('@(s)') }}
) AS g
