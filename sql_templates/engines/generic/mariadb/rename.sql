{# in: moves [(relation, relation)]
   out: all tables have their new names, in one step #}
RENAME TABLE
{% for old, new in moves %}
    {{ old | spark_ident }} TO {{ new | spark_ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
