{# What a group loses whose values reach from one point to another, and that has a seed among its
   cells.
   in: b (alias), lo and hi (prefixes of columns of it), s (the seed's alias), attributes, forms
   out: an expression #}
{% for a in attributes %}
{% if forms[a.index] == 'range' %}
LEAST({{ [b, hi ~ a.index] | ident }} - {{ [b, lo ~ a.index] | ident }},
    CAST({{ a.policy.weight | literal }} AS DOUBLE))
{% else %}
GREATEST(
    {% with value = [b, lo ~ a.index] %}{% include 'methods/local/greedy_partition/apart.sql'
        %}{% endwith %},
    {% with value = [b, hi ~ a.index] %}{% include 'methods/local/greedy_partition/apart.sql'
        %}{% endwith %}
)
{% endif %}
{% if not loop.last %} + {% endif %}
{% endfor %}
