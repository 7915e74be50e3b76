{# The values of a quasi-identifying column that the data has, in an order that no hierarchy has a
   part in (text byte by byte): a place is the same value under every policy.
   grain: one row per value
   in: a (attribute), dim_<index>
   out: table domain_<index>(code, value, place: from 1; NULL has the code and the place 0) #}
CREATE TABLE domain_# AS
SELECT
    d.code, d.value,
    ROW_NUMBER() OVER (
        ORDER BY
            CASE WHEN d.code = 0 THEN 0 ELSE 1 END NULLS FIRST,
            d.value{% if a.column.kind == 'text' %} COLLATE "C"{% endif %} NULLS FIRST
    ){% if a.nulls %} - 1{% endif %} AS place
FROM dim_# AS d
WHERE d.value IS NOT NULL{% if a.nulls %} OR d.code = 0{% endif +%}
