{# What a group of a seed and another point would lose.
   in: m (the point's alias), s (the seed's alias), attributes, forms
   out: an expression #}
{% for a in attributes %}
{% if forms[a.index] == 'range' %}
LEAST(ABS({{ [m, 'y' ~ a.index] | ident }} - {{ [s, 'y' ~ a.index] | ident }}),
    CAST({{ a.policy.weight | literal }} AS DOUBLE))
{% else %}
{% with value = [m, 'y' ~ a.index] %}{% include 'methods/local/greedy_partition/apart.sql'
    %}{% endwith %}
{% endif %}
{% if not loop.last %} + {% endif %}
{% endfor %}
