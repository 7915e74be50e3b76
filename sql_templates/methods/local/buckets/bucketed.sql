{# Every row with its bucket in each column where its cell is withheld. Cells are dealt to heaps
   value by value, those of one value in random order (anonsql.methods.local.bucket_plans); a
   secret salt, told apart by column, gives that order and numbers that tell nothing of heaps.
   grain: one row per row of local_rows
   in: local_rows (kept: its columns), columns (indices), dealt (those of them that have withheld
       cells), values_<index> and plan_<index>(code, start, buckets, first) of these, fresh_salt
   out: table bucketed(kept, b<index> …: NULL where the cell is not withheld) #}
CREATE TABLE bucketed AS
WITH numbered AS (
    SELECT r.*, CAST(ROW_NUMBER() OVER () AS VARCHAR) AS own_row
    FROM local_rows AS r
),
heaped AS (
    SELECT
    {% for a in dealt %}
        CASE
            WHEN t.w# = 1
            THEN p#.first + (p#.start + ROW_NUMBER() OVER (
                PARTITION BY t.w#, p#.code
                ORDER BY MD5((SELECT z.salt FROM fresh_salt AS z)
                    || {{ ('cell ' ~ a ~ ' ') | literal }} || t.own_row) NULLS FIRST
            ) - 1) % p#.buckets
        END AS own_heap_#,
    {% endfor %}
        {{ kept | idents('t') }}
    FROM numbered AS t
    {% for a in dealt %}
    LEFT JOIN values_# AS v# ON t.w# = 1 AND v#.value = t.s#
    LEFT JOIN plan_# AS p#
        ON p#.code = CASE WHEN t.w# = 1 THEN COALESCE(v#.code, 0) ELSE -1 END
    {% endfor %}
)
SELECT
    {{ kept | idents('h') }},
{% for a in columns %}
    {% if a in dealt %}
    CASE
        WHEN h.own_heap_# IS NOT NULL
        THEN CAST(DENSE_RANK() OVER (
            ORDER BY
                MD5((SELECT z.salt FROM fresh_salt AS z)
                    || {{ ('bucket ' ~ a ~ ' ') | literal }}
                    || CAST(h.own_heap_# AS VARCHAR)) NULLS LAST,
                h.own_heap_# NULLS LAST
        ) AS BIGINT)
    END AS b#
    {% else %}
    CAST(NULL AS BIGINT) AS b#
    {% endif %}
    {% if not loop.last %},{% endif +%}
{% endfor %}
FROM heaped AS h
