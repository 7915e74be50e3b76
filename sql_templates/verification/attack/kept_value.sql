{# A value as it is compared with others, text byte by byte.
   in: column, cast (the type it is compared as, where that is not its own), text (whether it is
       text then); r is the relation that it comes from
   out: an expression #}
{% if cast %}CAST(r.{{ column | ident }} AS {{ cast | sql_type }})
    {% else %}r.{{ column | ident }}{% endif %}{% if text %} COLLATE "C"{% endif %}
