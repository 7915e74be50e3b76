{# How often each value of a secret was released, or one that it is near to.
   grain: one row per value
   in: attacked_release, attacked_words, facet (of the secret), near (whether a guess is right that
       is near: attacked_near)
   out: (value, rows) #}
SELECT {% if near %}a.guess{% else %}w.value{% endif %} AS value, SUM(t.n * w.part) AS n
FROM attacked_release AS t
JOIN attacked_words AS w ON w.label = t.v{{ facet | integer }}
{% if near %}
JOIN attacked_near AS a ON a.truth = w.value
{% endif %}
GROUP BY {% if near %}a.guess{% else %}w.value{% endif +%}
ORDER BY n DESC, value
