{# The source as it is released: recoded numbers, and drawn values instead of the row's own.
   grain: one row per source row
   in: source (with the drawn columns), names (of the columns in order), recoded (columns by name,
       see release/changes/macros), drawn (columns by name: new)
   out: the columns #}
{% from 'release/changes/macros.sql' import recoded_value %}
SELECT
{% for name in names %}
    {% if name in recoded %}
    {{ recoded_value(recoded[name]) }} AS {{ name | ident }}
    {%- elif name in drawn %}
    s.{{ drawn[name].new | ident }} AS {{ name | ident }}
    {%- else %}
    s.{{ name | ident }}
    {%- endif %}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ source | ident }} AS s
