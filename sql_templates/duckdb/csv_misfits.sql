{# Which types keep the text of a CSV column: one does when every value comes back as it was written, so 02139 is no
   number and 1/21/76 no date.
   grain: one row
   in: source_text, names
   out: for each column, how many values would not survive as BIGINT, DECIMAL, DOUBLE, BOOLEAN, DATE, TIMESTAMP, how
   many values there are, and how many digits they have after the point at least and at most #}
SELECT
{% for name in names %}
    COUNT(*) FILTER (WHERE NOT REGEXP_FULL_MATCH({{ name | ident }}, '0|-?[1-9][0-9]{0,17}')),
    COUNT(*) FILTER (WHERE NOT REGEXP_FULL_MATCH({{ name | ident }}, '-?(0|[1-9][0-9]{0,14})\.[0-9]{1,9}') OR REGEXP_FULL_MATCH({{ name | ident }}, '-[0.]*')),
    COUNT(*) FILTER (WHERE COALESCE(REGEXP_REPLACE(CAST(TRY_CAST({{ name | ident }} AS DOUBLE) AS VARCHAR), '\.0$', ''), '') <> {{ name | ident }}
        OR REGEXP_MATCHES({{ name | ident }}, '[^-.0-9]')),
    COUNT(*) FILTER (WHERE {{ name | ident }} NOT IN ('true', 'false')),
    COUNT(*) FILTER (WHERE COALESCE(CAST(TRY_CAST({{ name | ident }} AS DATE) AS VARCHAR), '') <> {{ name | ident }}),
    COUNT(*) FILTER (WHERE COALESCE(CAST(TRY_CAST({{ name | ident }} AS TIMESTAMP) AS VARCHAR), '') <> {{ name | ident }}),
    COUNT({{ name | ident }}),
    COALESCE(MIN(LENGTH(SPLIT_PART({{ name | ident }}, '.', 2))), 0),
    COALESCE(MAX(LENGTH(SPLIT_PART({{ name | ident }}, '.', 2))), 0){% if not loop.last %},{% endif +%}
{% endfor %}
FROM source_text
