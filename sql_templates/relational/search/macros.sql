{# What is known of a person.
   out: macros #}

{# How many rows that two rows refer to are the same.
   in: one, other (numbers of places in a combination), depth (the greatest of a table)
   out: an expression #}
{% macro shared(one, other, depth) %}
({% for place in range(1, depth) -%}
CASE WHEN a{{ one | integer }}.b{{ place | integer }}
    = a{{ other | integer }}.b{{ place | integer }} THEN 1 ELSE 0 END
{%- if not loop.last %} + {% endif %}
{%- endfor %})
{%- endmacro %}

{# All combinations of known rows of a person, none of which another one belongs to.
   in: size (of the combinations), depth (the greatest of a table), parts (that the classes of
       people are divided into), part (which one counts, from 0)
   out: the end of a SELECT from held, as a1 … #}
{% macro from_held(size, depth, parts, part) %}
FROM held AS a1
{% for other in range(2, size + 1) %}
JOIN held AS a{{ other | integer }}
    ON a{{ other | integer }}.person = a1.person
    {% for one in range(1, other) %}
    AND a{{ one | integer }}.item <> a{{ other | integer }}.item
    {% if one == other - 1 and depth < 2 %}
    AND (a{{ one | integer }}.class < a{{ other | integer }}.class
        OR (a{{ one | integer }}.class = a{{ other | integer }}.class
            AND a{{ one | integer }}.item < a{{ other | integer }}.item))
    {% elif one == other - 1 %}
    AND a{{ one | integer }}.class <= a{{ other | integer }}.class
    {% endif %}
    {% if depth > 1 %}
    AND {{ shared(one, other, depth) }}
        < LEAST(a{{ one | integer }}.depth, a{{ other | integer }}.depth)
    {% endif %}
    {% endfor %}
{% endfor %}
{% if parts > 1 %}
    {% if size > 1 %}AND{% else %}WHERE{% endif +%}
    a1.own % {{ parts | integer }} = {{ part | integer }}
{% endif %}
{%- endmacro %}
