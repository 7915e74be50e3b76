{# The rows of several released tables, joined along their keys.
   grain: one row per pair of rows that belong together, and so on for more tables
   in: tables (relation, columns: each with its name there and the name that it gets; on: the tables
       that come before it, by place from 1, each with its column and that of this table)
   out: a SELECT of all columns under their new names #}
SELECT
{% for t in tables %}
    {% set place = loop.index %}
    {% set last = loop.last %}
    {% for name, title in t.columns %}
    t{{ place | integer }}.{{ name | ident }} AS {{ title | ident }}
    {% if not (last and loop.last) %},{% endif +%}
    {% endfor %}
{% endfor %}
{% for t in tables %}
{% set place = loop.index %}
{% if loop.first %}FROM{% else %}JOIN{% endif +%}
{{ t.relation | ident }} AS t{{ place | integer }}
{% for other, column, own in t.on %}
    {% if loop.first %}ON{% else %}AND{% endif +%}
    t{{ other | integer }}.{{ column | ident }} = t{{ place | integer }}.{{ own | ident }}
{% endfor %}
{% endfor %}
