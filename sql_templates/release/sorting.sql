{# How released rows are sorted.
   out: macros #}

{# The keys of the sort, column by column: a value where all engines put the values of its type into
   one order, else its text, byte by byte; both where equal values can have different texts.
   in: columns (name, order: 'value', 'text' or 'both'); r has them
   out: keys of ORDER BY #}
{% macro keys(columns) %}
{% for c in columns %}
{% if c.order != 'text' %}r.{{ c.name | ident }} NULLS FIRST{% endif %}
{% if c.order == 'both' %}, {% endif %}
{% if c.order != 'value' %}CAST(r.{{ c.name | ident }} AS VARCHAR) COLLATE "C" NULLS FIRST{% endif %}
{% if not loop.last %}, {% endif %}
{% endfor %}
{% endmacro %}
