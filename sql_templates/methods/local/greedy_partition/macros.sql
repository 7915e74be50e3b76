{# How far cells and groups of them are from a seed.
   out: macros #}

{# What a group loses by the value of a seed and another, that is released as a node: the lowest
   over both.
   in: a (attribute that is no range), value (a reference), s (the seed's alias)
   out: an expression #}
{% macro apart(a, value, s) %}
CASE
    WHEN {{ value | ident }} = {{ s | ident }}.y# THEN CAST(0 AS DOUBLE)
{% for level in range(a.min_level + 1, a.max_level) %}
    WHEN {{ value | ident }} BETWEEN {{ s | ident }}.from#_{{ level | integer }}
        AND {{ s | ident }}.upto#_{{ level | integer }}
        THEN {{ s | ident }}.loss#_{{ level | integer }}
{% endfor %}
{% if a.max_level > a.min_level %}
    ELSE {{ s | ident }}.loss#_{{ a.max_level | integer }}
{% else %}
    ELSE CAST(0 AS DOUBLE)
{% endif %}
END
{%- endmacro %}

{# What a group of a seed and another point would lose.
   in: attributes, forms, m (the point's alias), s (the seed's alias)
   out: an expression #}
{% macro distance(attributes, forms, m, s) %}
{% for a in attributes %}
{% if forms[a.index] == 'range' %}
LEAST(ABS({{ m | ident }}.y# - {{ s | ident }}.y#), CAST({{ a.policy.weight | literal }} AS DOUBLE))
{% else %}
{{ apart(a, [m, 'y' ~ a.index], s) }}
{% endif %}
{% if not loop.last %} + {% endif %}
{% endfor %}
{% endmacro %}

{# What a group loses whose values reach from one point to another, and that has a seed among its
   cells.
   in: attributes, forms, b (alias), lo and hi (prefixes of columns of it), s (the seed's alias)
   out: an expression #}
{% macro box(attributes, forms, b, lo, hi, s) %}
{% for a in attributes %}
{% set from, upto = [b, lo ~ a.index], [b, hi ~ a.index] %}
{% if forms[a.index] == 'range' %}
LEAST({{ upto | ident }} - {{ from | ident }}, CAST({{ a.policy.weight | literal }} AS DOUBLE))
{% else %}
GREATEST({{ apart(a, from, s) }}, {{ apart(a, upto, s) }})
{% endif %}
{% if not loop.last %} + {% endif %}
{% endfor %}
{% endmacro %}

{# What a seed brings along to measure distances from it.
   in: attributes, forms; m is the seed's point, r<i> its row of spans_<i>
   out: columns y<i>, from<i>_<l>, upto<i>_<l>, loss<i>_<l> #}
{% macro reach(attributes, forms) %}
{% for a in attributes %}
    , m.y#
    {% if forms[a.index] != 'range' %}
    {% for level in range(a.min_level + 1, a.max_level + 1) %}
    , r#.from{{ level | integer }} AS from#_{{ level | integer }}
    , r#.upto{{ level | integer }} AS upto#_{{ level | integer }}
    , r#.loss{{ level | integer }} AS loss#_{{ level | integer }}
    {% endfor %}
    {% endif %}
{% endfor %}
{% endmacro %}

{# The nodes over a seed; a value that is withheld is no node's.
   in: attributes, forms; m is the seed's point
   out: joins with spans_<i> AS r<i> #}
{% macro reach_from(attributes, forms) %}
{% for a in attributes if forms[a.index] != 'range' %}
LEFT JOIN spans_# AS r# ON r#.place = m.y#
{% endfor %}
{% endmacro %}
