{# Rows that refer to each other.
   out: macros #}

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

{# The number that a row has at every node (see relational/search/standing).
   in: id (a reference), together (how many nodes there are)
   out: an expression #}
{% macro row_number(id, together) %}
CAST(({{ id | ident }} - {{ id | ident }} % {{ together | integer }}) / {{ together | integer }}
    AS BIGINT)
{%- endmacro %}
