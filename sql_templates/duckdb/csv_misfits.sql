{# Which types keep the text of a CSV column: one does when every value comes back as it was written, so 02139 is no
   number and 1/21/76 no date. Numbers with a point need not keep their last zeros.
   grain: one row
   in: source_text, names
   out: for each column, how many values would not survive as BIGINT, DOUBLE, BOOLEAN, DATE, TIMESTAMP, and how many
   values there are #}
SELECT
{% for name in names %}
    COUNT(*) FILTER (WHERE NOT REGEXP_FULL_MATCH({{ name | ident }}, '0|-?[1-9][0-9]{0,17}')),
    COUNT(*) FILTER (WHERE NOT REGEXP_FULL_MATCH({{ name | ident }}, '-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?([eE][-+]?[0-9]{1,2})?')),
    COUNT(*) FILTER (WHERE {{ name | ident }} NOT IN ('true', 'false')),
    COUNT(*) FILTER (WHERE COALESCE(CAST(TRY_CAST({{ name | ident }} AS DATE) AS VARCHAR), '') <> {{ name | ident }}),
    COUNT(*) FILTER (WHERE COALESCE(CAST(TRY_CAST({{ name | ident }} AS TIMESTAMP) AS VARCHAR), '') <> {{ name | ident }}),
    COUNT({{ name | ident }}){% if not loop.last %},{% endif +%}
{% endfor %}
FROM source_text
