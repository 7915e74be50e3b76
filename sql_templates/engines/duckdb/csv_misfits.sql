{# Which types keep the text of a CSV column: one does when every value comes back as it was
   written, so 02139 is no number and 1/21/76 no date. Each distinct value is looked at once.
   grain: one row
   in: table (of texts), names
   out: for each column, how many distinct values would not survive as BIGINT, DECIMAL, DOUBLE,
       BOOLEAN, DATE, TIMESTAMP,
   how many there are, and how many digits they have after the point at least and at most #}
SELECT
    {{ names | listed('f$.*') }}
FROM
{% for name in names %}
(
    SELECT
        COUNT(*) FILTER (WHERE NOT REGEXP_FULL_MATCH(d.v, '0|-?[1-9][0-9]{0,17}')),
        COUNT(*) FILTER (WHERE NOT REGEXP_FULL_MATCH(d.v, '-?(0|[1-9][0-9]{0,14})\.[0-9]{1,9}')
            OR REGEXP_FULL_MATCH(d.v, '-[0.]*')),
        COUNT(*) FILTER (WHERE COALESCE(REGEXP_REPLACE(CAST(TRY_CAST(d.v AS DOUBLE) AS VARCHAR),
            '\.0$', ''), '') <> d.v
            OR REGEXP_MATCHES(d.v, '[^-.0-9]')),
        COUNT(*) FILTER (WHERE d.v NOT IN ('true', 'false')),
        COUNT(*) FILTER (WHERE COALESCE(CAST(TRY_CAST(d.v AS DATE) AS VARCHAR), '') <> d.v),
        COUNT(*) FILTER (WHERE COALESCE(CAST(TRY_CAST(d.v AS TIMESTAMP) AS VARCHAR), '') <> d.v),
        COUNT(d.v),
        COALESCE(MIN(LENGTH(SPLIT_PART(d.v, '.', 2))), 0),
        COALESCE(MAX(LENGTH(SPLIT_PART(d.v, '.', 2))), 0)
    FROM (SELECT DISTINCT {{ name | ident }} AS v FROM {{ table | ident }}) AS d
) AS {{ ('f' ~ loop.index) | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
