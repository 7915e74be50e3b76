{# in: table, view (whether it is one)
   out: it is gone #}
DROP {% if view %}VIEW{% else %}TABLE{% endif %} {{ table | ident }}
