{# in: table, columns (name, cast, kind), people (or none)
   out: a SELECT of (h1 …: a hash of each column below 2^52, p: of the person), one row per row #}
SELECT
{% for a in columns %}
    (XXHASH64({{ loop.index | integer }},
        {% if a.cast %}CAST(s.{{ a.name | backquoted }} AS STRING)
        {% else %}s.{{ a.name | backquoted }}{% endif %}) & 4503599627370495)
        AS h{{ loop.index | integer }}{% if people or not loop.last %},{% endif +%}
{% endfor %}
{% if people %}
    XXHASH64({% if people.cast %}CAST(s.{{ people.name | backquoted }} AS STRING)
        {% else %}s.{{ people.name | backquoted }}{% endif %}) AS p
{% endif %}
FROM {{ table | backquoted }} AS s
