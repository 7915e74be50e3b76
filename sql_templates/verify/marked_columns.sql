{# The columns of marked rows, those that cannot be compared as text.
   in: attributes, kept, bucketized, side
   out: a list of columns #}
{% for a in attributes %}
{{ side | ident }}.c{{ a.index | integer }}{% if kept or bucketized or not loop.last %}, {% endif %}
{% endfor %}
{% for column in kept %}
{% if not column.comparable %}CAST({{ side | ident }}.k{{ loop.index | integer }} AS VARCHAR) AS k{{ loop.index | integer }}{% else %}{{ side | ident }}.k{{ loop.index | integer }}{% endif %}{% if bucketized or not loop.last %}, {% endif %}
{% endfor %}
{% for b in bucketized %}
{{ side | ident }}.w{{ b.index | integer }}, {{ side | ident }}.s{{ b.index | integer }}{% if not loop.last %}, {% endif %}
{% endfor %}
