{# How groups differ.
   out: macros #}

{# In how many attributes two groups differ: where they differ, the lane of the attribute has a bit,
   and adding all bits but the highest sets that one.
   in: words (see anonsql.methods.hybrid.words); a and b are the groups
   out: an expression #}
{% macro differing(words) %}
{% for word in words %}
BIT_COUNT((
    (XOR(a.{{ word.name | ident }}, b.{{ word.name | ident }})) + {{ word.lower | integer }}
) & {{ word.highest | integer }})
{% if not loop.last %} + {% endif %}
{% endfor %}
{%- endmacro %}
