{# At which levels of a hierarchy the data has the labels that are released, with how many values
   each stands for there.
   grain: one row per label and level
   in: a (attribute), dim_<index>, words_<index>(label: its number, word)
   out: (label, level, values) #}
{% from 'verification/attack/macros.sql' import present %}
{% for level in range(a.height + 1) %}
SELECT w.label, {{ level | integer }} AS level, COUNT(*) AS counted
FROM words_# AS w
JOIN dim_# AS d ON d.v{{ level | integer }} = w.word
WHERE ({{ present(a) }})
GROUP BY w.label
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
