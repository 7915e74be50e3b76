{# The source's rows with what is withheld of them (see patterns/marked).
   grain: one row per source row
   in: what patterns/marked takes
   out: a SELECT of its columns #}
SELECT
{% for a in attributes %}
    {% if a.index in conditions %}
    CASE WHEN NOT {{ conditions[a.index] | condition('s') }} THEN {% with side = 's' %}{% include 'star/value.sql' %}{% endwith %} END AS q{{ a.index | integer }},
    CASE WHEN NOT {{ conditions[a.index] | condition('s') }} THEN 0 ELSE 1 END AS w{{ a.index | integer }},
    CASE WHEN {{ conditions[a.index] | condition('s') }} IS NULL THEN 1 ELSE 0 END AS u{{ a.index | integer }}{% if kept or bucketized or not loop.last %},{% endif +%}
    {% else %}
    {% with side = 's' %}{% include 'star/value.sql' %}{% endwith %} AS q{{ a.index | integer }}{% if kept or bucketized or not loop.last %},{% endif +%}
    {% endif %}
{% endfor %}
{% for column in kept %}
    {% if column.type != column.released_type %}CAST(s.{{ column.name | ident }} AS {{ column.released_type | sql_type }}){% else %}s.{{ column.name | ident }}{% endif %} AS k{{ loop.index | integer }}{% if bucketized or not loop.last %},{% endif +%}
{% endfor %}
{% for a in bucketized %}
    {% with side = 's' %}{% include 'star/value.sql' %}{% endwith %} AS s{{ a.index | integer }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ source | ident }} AS s
