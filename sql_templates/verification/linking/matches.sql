{# Which beginnings of released tuples and of the source's combinations match: those that did, one
   column on.
   grain: one row per pair
   in: judged_matches_<step - 1> after the first step, judged_tuple_steps, judged_cell_steps,
       covers_<index>, step (how many columns), column (v<index> of the last of them), index, most
       (so many pairs at most, or none for all)
   out: table judged_matches_<step>(tuple, cell: the numbers of the beginnings) #}
CREATE TABLE judged_matches_{{ step | integer }} AS
SELECT t.p{{ step | integer }} AS tuple, c.p{{ step | integer }} AS cell
FROM covers_{{ index | integer }} AS k
JOIN (
    SELECT DISTINCT
        {% if step > 1 %}
        s.p{{ (step - 1) | integer }} AS before,
        {% endif %}
        s.p{{ step | integer }},
        s.{{ column | ident }} AS value
    FROM judged_tuple_steps AS s
) AS t ON t.value = k.label
JOIN (
    SELECT DISTINCT
        {% if step > 1 %}
        s.p{{ (step - 1) | integer }} AS before,
        {% endif %}
        s.p{{ step | integer }},
        s.{{ column | ident }} AS code
    FROM judged_cell_steps AS s
) AS c ON c.code = k.code
{% if step > 1 %}
JOIN judged_matches_{{ (step - 1) | integer }} AS m ON m.tuple = t.before AND m.cell = c.before
{% endif %}
{% if most %}
LIMIT {{ most | integer }}
{% endif %}
