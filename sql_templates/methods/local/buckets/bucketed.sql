{# Every row with its bucket in each column where its entry is withheld: the heaps under numbers that
   tell nothing of them, in an order that a secret salt gives, told apart by column.
   grain: one row per row of local_rows
   in: numbered_rows (kept: the columns of local_rows), columns (indices), dealt (those of them that
       have withheld entries), heaps_<index> of these, fresh_salt
   out: table bucketed(kept, b<index> …: NULL where the entry is not withheld) #}
CREATE TABLE bucketed AS
SELECT
    {{ kept | idents('t') }},
{% for a in columns %}
    {% if a in dealt %}b#.bucket{% else %}CAST(NULL AS BIGINT){% endif %} AS b#
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM numbered_rows AS t
{% for a in dealt %}
LEFT JOIN heaps_# AS h# ON h#.own_row = t.own_row
LEFT JOIN (
    SELECT
        u.heap,
        CAST(ROW_NUMBER() OVER (
            ORDER BY
                MD5((SELECT z.salt FROM fresh_salt AS z)
                    || {{ ('bucket ' ~ a ~ ' ') | literal }} || CAST(u.heap AS VARCHAR)) NULLS LAST,
                u.heap NULLS LAST
        ) AS BIGINT) AS bucket
    FROM (SELECT DISTINCT o.heap FROM heaps_# AS o) AS u
) AS b# ON b#.heap = h#.heap
{% endfor %}
