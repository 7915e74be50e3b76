{# in: moves [(relation, relation)]
   out: all tables have their new names, in one step #}
RENAME TABLE
{% for old, new in moves %}
    {{ old | ident }} TO {{ new | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
