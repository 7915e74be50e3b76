{# A kept value as it is compared.
   in: column, cast (the type it is compared as, where that is not its own); r is the relation it
       comes from
   out: an expression #}
{% if cast %}CAST(r.{{ column | ident }} AS {{ cast | sql_type }})
    {% else %}r.{{ column | ident }}{% endif %}