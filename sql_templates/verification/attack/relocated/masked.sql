{# The kept values of masked rows, * in every quasi-identifying column.
   grain: one row per distinct combination
   in: table (of the release), labels (its quasi-identifying columns), kept [(number, column, type
       to cast to or none)]
   out: table masked_rows(y<j>, n) #}
{% from 'verification/attack/macros.sql' import kept_value %}
CREATE TABLE masked_rows AS
SELECT
{% for j, column, cast in kept %}
    {{ kept_value(column, cast) }} AS y{{ j | integer }},
{% endfor %}
    CAST(COUNT(*) AS BIGINT) AS n
FROM {{ table | ident }} AS r
WHERE {{ labels | each("COALESCE(r.@, '') = '*'", ' AND ') }}
{% if kept %}
GROUP BY
{% for j, column, cast in kept %}
    {{ kept_value(column, cast) }}{% if not loop.last %},{% endif +%}
{% endfor %}
{% endif %}
