{# in: tables, or schema (the other is none)
   out: nobody but its owner and those who are named may use it #}
REVOKE ALL ON
    {% if schema %}SCHEMA {{ schema | ident }}{% else %}TABLE {{ tables | idents }}{% endif %}
    FROM PUBLIC
