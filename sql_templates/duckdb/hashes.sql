{# in: table, columns (as star/value takes them), people (or none)
   out: a SELECT of (h1 …: a hash of each column below 2^52, p: of the person), one row per row #}
SELECT
{% for a in columns %}
    CAST(HASH({{ loop.index | integer }}, {% with side = 's' %}{% include 'star/value.sql' %}{% endwith %}) % 4503599627370496 AS BIGINT) AS h{{ loop.index | integer }}{% if people or not loop.last %},{% endif +%}
{% endfor %}
{% if people %}
    HASH({% with a = people, side = 's' %}{% include 'star/value.sql' %}{% endwith %}) AS p
{% endif %}
FROM {{ table | ident }} AS s
