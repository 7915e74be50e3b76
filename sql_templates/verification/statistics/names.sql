{# Names of the audited cells, as statistics/names has them.
   grain: one row per cell, in the order of their numbers
   in: audited, attributes, numbered (the engine's template of a hexadecimal number)
   out: a SELECT of two numbers of 40 bits #}
SELECT
    CAST({% with digits = ['h', 'digits'], start = 1 %}{% include numbered ~ '.sql' %}{% endwith %}
        AS BIGINT) AS high,
    CAST({% with digits = ['h', 'digits'], start = 11 %}{% include numbered ~ '.sql' %}{% endwith %}
        AS BIGINT) AS low
FROM (
    SELECT
        t.cell,
        MD5(
            {{ attributes | each("CAST(t.l# AS VARCHAR) || ':' || MD5(t.k#)", " || ';' || ") }}
        ) AS digits
    FROM audited AS t
) AS h
ORDER BY h.cell
