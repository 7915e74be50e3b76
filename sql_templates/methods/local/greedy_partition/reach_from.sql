{# in: m (the seed's point), attributes, forms
   out: joins with spans_<i> AS r<i>; a value that is withheld is no node's #}
{% for a in attributes if forms[a.index] != 'range' %}
{{ a | sql('LEFT JOIN spans_# AS r# ON r#.place = m.y#') }}
{% endfor %}
