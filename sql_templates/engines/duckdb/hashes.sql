{# in: table, columns (as star/value takes them), people (or none)
   out: a SELECT of (h1 …: a hash of each column below 2^52, p: of the person), one row per row #}
SELECT
    {{ columns | listed(
        'CAST(HASH($, @(s)) % 4503599627370496 AS BIGINT) AS h$'
    ) }}{% if people %},{% endif +%}
{% if people %}
    HASH({{ people | value('s') }}) AS p
{% endif %}
FROM {{ table | ident }} AS s
