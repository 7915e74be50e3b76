{# What classes cost.
   out: macros #}

{# What a class costs by the measure: a suppressed row is wholly lost, or indiscernible from every
   other.
   in: measure ('loss', in billionths of a row, or 'discernibility', in pairs of rows), rows; x is
       the class: lost, n, ok
   out: an expression #}
{% macro cost(measure, rows) %}
{% if measure == 'loss' %}
x.n * CASE WHEN x.ok THEN x.lost ELSE 1000000000 END
{%- else %}
x.n * CASE WHEN x.ok THEN x.n ELSE {{ rows | integer }} END
{%- endif %}
{% endmacro %}
