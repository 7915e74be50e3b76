{# What a class costs by the measure: a suppressed row is wholly lost, or indiscernible from every
   other.
   in: measure ('loss', in billionths of a row, or 'discernibility', in pairs of rows), rows, x (a
       class: lost, n, ok)
   out: an expression #}
{% if measure == 'loss' %}x.n * CASE WHEN x.ok THEN x.lost ELSE 1000000000 END
{%- else %}x.n * CASE WHEN x.ok THEN x.n ELSE {{ rows | integer }} END{% endif %}
