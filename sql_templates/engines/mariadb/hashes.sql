{# in: table, columns (by name), people (or none)
   out: a SELECT of (h1 …: a hash of each column below 2^52, p: of the person), one row per row #}
SELECT
    {{ columns | listed(
        "CAST(CONV(SUBSTR(MD5(CONCAT($, ':', QUOTE(s.@))), 1, 13), 16, 10) AS BIGINT) AS h$"
    ) }}{% if people %},{% endif +%}
{% if people %}
    CAST(CONV(SUBSTR(MD5(QUOTE(s.{{ people.name | ident }})), 1, 13), 16, 10) AS BIGINT) AS p
{% endif %}
FROM {{ table | ident }} AS s
