{# Rows that refer to each other, and what is known of a person in every order.
   out: macros #}
{% from 'relational/search/macros.sql' import shared %}

{# The rows of some tables, each of which refers to the next one.
   in: path (the numbers of the tables, from the lowest to the highest)
   out: the end of a SELECT, with the rows as t<number> #}
{% macro upwards(path) %}
FROM {{ path[0] | sql('standing_# AS t#') }}
{% for number in path[1:] %}
JOIN {{ number | sql('standing_# AS t#') }}
    ON {{ number | sql('t#.id') }} = {{ path[loop.index0] | sql('t#.parent') }}
{% endfor %}
{%- endmacro %}

{# All combinations of known rows of a person, none of which another one belongs to, in all orders
   in which their classes do not fall: each row stands in each place that it can have.
   in: size (of the combinations), depth (the greatest of a table)
   out: a FROM of held, as a1 … #}
{% macro in_all_orders(size, depth) %}
FROM held AS a1
{% for other in range(2, size + 1) %}
JOIN held AS a{{ other | integer }}
    ON a{{ other | integer }}.person = a1.person
    {% for one in range(1, other) %}
    AND a{{ one | integer }}.item <> a{{ other | integer }}.item
    {% if one == other - 1 %}
    AND a{{ one | integer }}.class <= a{{ other | integer }}.class
    {% endif %}
    {% if depth > 1 %}
    AND {{ shared(one, other, depth) }}
        < LEAST(a{{ one | integer }}.depth, a{{ other | integer }}.depth)
    {% endif %}
    {% endfor %}
{% endfor %}
{%- endmacro %}
