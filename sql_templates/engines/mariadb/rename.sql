{# in: moves [(relation, relation)]
   out: all tables have their new names, in one step #}
RENAME TABLE
{% for old, new in moves %}
    {{ old | backquoted }} TO {{ new | backquoted }}{% if not loop.last %},{% endif +%}
{% endfor %}
