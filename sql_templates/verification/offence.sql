{# Classes that break a criterion of the values that their rows have.
   grain: one row per such class
   in: keys (columns that name a class), promise, model (the term), mark (what tells the figures'
       names from those of columns), values (the template of s) and what it takes
   out: (keys, rows_in_class). The block broken, which a criterion has, is the condition, over s:
       a row per value of a class, with rows_with_value, people_in_class, where the promise is about
       people that match, and the criterion's figures: rows_with_named_value (0 where the model is
       not about the value), share (of the class's rows), place (by frequency, 1 of the commonest),
       position (in the order), x, a number, and width, from the table's least to its greatest;
       table_share (of the whole table's rows), table_values (how many that has). Up to a share
       promise.slack of the whole table is not to be seen: a value's share of it lies between
       (1 - slack) * table_share and that plus slack #}
SELECT
    {{ keys | idents('s') }},
    CAST(SUM(s.{{ ('rows_with_value' ~ mark) | ident }}) AS BIGINT)
        AS {{ ('rows_in_class' ~ mark) | ident }}
FROM (
    {% include values ~ '.sql' +%}
) AS s
GROUP BY {{ keys | idents('s') }}
HAVING
    {% block broken %}{% endblock %}
