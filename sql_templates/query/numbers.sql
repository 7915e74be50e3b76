{# The values of a column that is told as it is as numbers: whole numbers and decimals exact, in
   units of the last digit.
   grain: one row per value but NULL
   in: c (queried column), domain_<index>
   out: table numbers_<index>(code, number) #}
CREATE TABLE numbers_{{ c.index | integer }} AS
SELECT
    d.code,
{% if c.exact and c.domain.scale %}
    CAST(d.value
        * CAST({{ c.unit | literal }} AS DECIMAL({{ (c.domain.scale + 1) | integer }},
        0)) AS {{ c.number | sql_type }}) AS number
{% else %}
    CAST(d.value AS {{ c.number | sql_type }}) AS number
{% endif %}
FROM domain_{{ c.index | integer }} AS d
WHERE d.code > 0
