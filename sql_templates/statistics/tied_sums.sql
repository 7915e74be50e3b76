{# Whether sums are others together, of everybody everywhere, or differ from them by as much for each
   row.
   grain: one row
   in: combinations, ties (each of sums and signs: 1, or -1), factors (by the index of a sum: what its
       units are in those of the finest)
   out: of every tie the least and the greatest of what its sums with their signs make for each row of
       a combination, in units of the finest #}
SELECT
{% for tie in ties %}
    {% for aggregate in ('MIN', 'MAX') %}
    {% if aggregate == 'MIN' %}MIN{% else %}MAX{% endif %}((
        {% for m, sign in tie %}
        + CAST(t.{{ m | sql('s#') }} AS DOUBLE) * {{ (sign * factors[m.index]) | integer }}
        {% endfor %}
    ) / t.n) AS {{ (aggregate ~ loop.index) | ident }}
    {%- if not loop.last %},{% endif +%}
    {% endfor %}
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM combinations AS t
