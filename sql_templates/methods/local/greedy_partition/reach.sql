{# What a seed brings along to measure distances from it.
   in: m (the seed's point), r<i>: spans_<i>, attributes, forms
   out: columns y<i>, from<i>_<l>, upto<i>_<l>, loss<i>_<l> #}
{% for a in attributes %}
{% set i = a.index %}
    , m.y{{ i | integer }}
    {% if forms[i] != 'range' %}
    {% for level in range(a.min_level + 1, a.max_level + 1) %}
    , r{{ i | integer }}.from{{ level | integer }} AS from{{ i | integer }}_{{ level | integer }}
    , r{{ i | integer }}.upto{{ level | integer }} AS upto{{ i | integer }}_{{ level | integer }}
    , r{{ i | integer }}.loss{{ level | integer }} AS loss{{ i | integer }}_{{ level | integer }}
    {% endfor %}
    {% endif %}
{% endfor %}
