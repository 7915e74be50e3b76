{# In how many attributes two groups differ.
   in: attributes; a and b are the groups
   out: an expression #}
{% for a in attributes %}CASE WHEN a.c{{ a.index | integer }} = b.c{{ a.index | integer }} THEN 0 ELSE 1 END{% if not loop.last %} + {% endif %}{% endfor %}
