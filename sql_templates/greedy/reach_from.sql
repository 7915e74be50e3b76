{# in: m (the seed's point), attributes, forms
   out: joins with spans_<i> AS r<i>; a value that is withheld is no node's #}
{% for a in attributes if forms[a.index] != 'range' %}
LEFT JOIN spans_{{ a.index | integer }} AS r{{ a.index | integer }} ON r{{ a.index | integer }}.place = m.y{{ a.index | integer }}
{% endfor %}
