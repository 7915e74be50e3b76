{# in: table, columns (by name), people (or none)
   out: a SELECT of (h1 …: a hash of each column below 2^52, p: of the person), one row per row #}
SELECT
    {{ columns | listed('HASHED($, QUOTE(s.@)) AS h$') }}{% if people %},{% endif +%}
{% if people %}
    HASHED(0, QUOTE(s.{{ people.name | ident }})) AS p
{% endif %}
FROM {{ table | ident }} AS s
