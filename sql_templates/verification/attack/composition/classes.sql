{# The class of a release in which each combination of the source's values may be.
   grain: one row per combination that fits a class
   in: judged_cell_steps, judged_matches_<steps>, judged_tuple_steps, steps, number (of the
       release), columns [(index of the attribute, number of the column)]
   out: table together_classes_<number>(w<column>: code of the value, class, n: rows of the
       source) #}
CREATE TABLE together_classes_{{ number | integer }} AS
SELECT
{% for i, column in columns %}
    c.v{{ i | integer }} AS w{{ column | integer }},
{% endfor %}
    t.id AS class,
    c.n
FROM judged_matches_{{ steps | integer }} AS m
JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
JOIN judged_cell_steps AS c ON c.p{{ steps | integer }} = m.cell
