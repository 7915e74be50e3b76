{# Whether an attribute is sensitive to a row.
   in: of (a reference to the row's pattern, see methods/local/patterns/pattern), i (the attribute's
       index), semi
   out: a condition #}
{% for x in semi %}{% if x.index == i %}CAST(FLOOR({{ of | ident }} / CAST({{ (2 ** loop.index0) |
    integer }} AS DOUBLE)) AS BIGINT) % 2 = 1{% endif %}{% endfor %}
