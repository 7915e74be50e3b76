{# in: table, columns (as star/value takes them), people (or none)
   out: a SELECT of (h1 …: a hash of each column below 2^52, p: of the person), one row per row #}
SELECT
{% for a in columns %}
    (COALESCE(pg_catalog.hashtextextended(CAST({% with side = 's' %}{% include 'star/value.sql' %}{% endwith %} AS TEXT), CAST({{ loop.index | integer }} AS BIGINT)), 0) & 4503599627370495) AS h{{ loop.index | integer }}{% if people or not loop.last %},{% endif +%}
{% endfor %}
{% if people %}
    COALESCE(pg_catalog.hashtextextended(CAST({% with a = people, side = 's' %}{% include 'star/value.sql' %}{% endwith %} AS TEXT), CAST(0 AS BIGINT)), 0) AS p
{% endif %}
FROM {{ table | ident }} AS s
