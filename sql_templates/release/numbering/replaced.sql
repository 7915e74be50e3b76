{# A table with other numbers in place of those that are there.
   grain: one row per row of the table
   in: source (the table), titles (of its columns), numbers {column: a table of release/numbering/numbered}
   out: a SELECT of its columns #}
SELECT
{% for name in titles %}
    {% if name in numbers %}m{{ loop.index | integer }}.number AS {{ name | ident }}
    {%- else %}s.{{ name | ident }}{% endif %}
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ source | ident }} AS s
{% for name in titles %}
{% if name in numbers %}
LEFT JOIN {{ numbers[name] | ident }} AS m{{ loop.index | integer }}
    ON m{{ loop.index | integer }}.own = s.{{ name | ident }}
{% endif %}
{% endfor %}
