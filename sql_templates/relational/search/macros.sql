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

{# All combinations of known rows of a person, none of which another one belongs to. The classes of
   the rows do not fall from one to the next.
   in: held (a table, see relational/search/held), size (of the combinations), depth (the greatest
       of a table), once (whether rows of one class need not stand in every order)
   out: the end of a SELECT from held, as a1 … #}
{% macro from_held(held, size, depth, once) %}
FROM {{ held | ident }} AS a1
{% for other in range(2, size + 1) %}
JOIN {{ held | ident }} AS a{{ other | integer }}
    ON a{{ other | integer }}.person = a1.person
    {% for one in range(1, other) %}
    AND a{{ one | integer }}.item <> a{{ other | integer }}.item
    {% if one == other - 1 and once and depth < 2 %}
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
{%- endmacro %}

{# What of the rows of a combination names it, as keys do.
   in: size (of the combination), depth (the greatest of a table)
   out: columns of a SELECT from held, each behind a comma #}
{% macro named(size, depth) %}
{% for one in range(1, size + 1) %}
    , a{{ one | integer }}.class AS c{{ one | integer }}
    {% for other in range(one + 1, size + 1) if depth > 1 %}
    , {{ shared(one, other, depth) }} AS s{{ one | integer }}_{{ other | integer }}
    {% endfor %}
{% endfor %}
{%- endmacro %}

{# The parts of all combinations, by class of the person and of the first row, that are looked at.
   in: some (the first part, the one after the last, of how many; none: all)
   out: nothing or the WHERE of a SELECT from held, as a1 … #}
{% macro where_some(some) %}
{% if some %}
WHERE (a1.own * 7919 + a1.class) % {{ some[2] | integer }}
    BETWEEN {{ some[0] | integer }} AND {{ (some[1] - 1) | integer }}
{% endif %}
{%- endmacro %}
