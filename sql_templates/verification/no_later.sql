{# Whether a leaf comes no later than another in the order of the domain: NULL before all; numbers
   and dates by value, leaves
   that are given one by one with siblings side by side, other text byte by byte.
   in: a (attribute), one, other (relations: rows of its dimension table)
   out: a condition; NULL where one of them is missing #}
({{ one | ident }}.code = 0 OR ({{ other | ident }}.code <> 0 AND (
    {% if a.sorts %}
    {{ one | ident }}.value <= {{ other | ident }}.value
    {% elif a.leaves %}
    {% for level in range(a.height, 0, -1) %}
    {{ one | ident }}.g{{ level | integer }} < {{ other | ident }}.g{{ level | integer }}
    OR ({{ one | ident }}.g{{ level | integer }} = {{ other | ident }}.g{{ level | integer }} AND (
    {% endfor %}
    {{ one | ident }}.code <= {{ other | ident }}.code
    {% for level in range(a.height) %}
    ))
    {% endfor %}
    {% elif a.column.kind == 'text' %}
    {{ one | ident }}.value COLLATE "C" <= {{ other | ident }}.value COLLATE "C"
    {% else %}
    {{ one | ident }}.code <= {{ other | ident }}.code
    {% endif %}
)))
