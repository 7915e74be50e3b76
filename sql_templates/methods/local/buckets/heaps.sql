{# The heap that each withheld entry of a column is dealt to, value by value, those of one value in
   random order (anonsql.methods.local.bucket_plans), which a secret salt gives.
   grain: one row per row whose entry is withheld
   in: numbered_rows, index (of the column), values_<index> and plan_<index>(code, start, buckets,
       first), fresh_salt
   out: table heaps_<index>(own_row, heap) #}
{% set a = index %}
CREATE TABLE heaps_# AS
SELECT
    t.own_row,
    p.first + (p.start + ROW_NUMBER() OVER (
        PARTITION BY p.code
        ORDER BY MD5((SELECT z.salt FROM fresh_salt AS z)
            || {{ ('cell ' ~ a ~ ' ') | literal }} || CAST(t.own_row AS VARCHAR)) NULLS FIRST
    ) - 1) % p.buckets AS heap
FROM numbered_rows AS t
LEFT JOIN values_# AS v ON v.value = t.s#
JOIN plan_# AS p ON p.code = COALESCE(v.code, 0)
WHERE t.w# = 1
