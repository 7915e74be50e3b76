{# in: table, columns (by name), people (or none)
   out: a SELECT of (h1 …: a hash of each column below 2^52, p: of the person), one row per row #}
SELECT
{% for a in columns %}
    (COALESCE(pg_catalog.hashtextextended(CAST(s.{{ a.name | ident }} AS pg_catalog.text),
        CAST({{ loop.index | integer }} AS pg_catalog.int8)),
        0) & 4503599627370495)
        AS h{{ loop.index | integer }}{% if people or not loop.last %},{% endif +%}
{% endfor %}
{% if people %}
    COALESCE(pg_catalog.hashtextextended(CAST(s.{{ people.name | ident }} AS pg_catalog.text),
        CAST(0 AS pg_catalog.int8)), 0) AS p
{% endif %}
FROM {{ table | ident }} AS s
