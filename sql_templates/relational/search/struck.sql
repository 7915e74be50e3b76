{# Whose rows are in rare combinations, and which rows of theirs: all with one parent and class.
   grain: one row per person, table, parent and class; of combinations without rows, per person
   in: size (of the combinations), depth (the greatest of a table), parts and part (see
       relational/search/macros), rare (see relational/search/rare), held, standing_1
   out: a SELECT of (person, origin, parent, class: of the row, different in different tables) #}
{% from 'relational/search/macros.sql' import from_held, shared %}
{% if not size %}
SELECT t.id AS person, 1 AS origin, t.id AS parent, t.class
FROM standing_1 AS t
JOIN rare AS r ON r.own = t.class
{% endif %}
{% for struck in range(1, size + 1) %}
SELECT
    {{ struck | sql('a#.person, a#.origin, a#.parent, a#.class') }}
{{ from_held(size, depth, 1, 0) }}
JOIN rare AS r
    ON r.own = a1.own
    {% for one in range(1, size + 1) %}
    AND r.c{{ one | integer }} = a{{ one | integer }}.class
    {% for other in range(one + 1, size + 1) if depth > 1 %}
    AND r.s{{ one | integer }}_{{ other | integer }} = {{ shared(one, other, depth) }}
    {% endfor %}
    {% endfor %}
{% if parts > 1 %}WHERE a1.own % {{ parts | integer }} = {{ part | integer }}{% endif +%}
{% if not loop.last %}UNION{% endif +%}
{% endfor %}
{% if size == 1 %}
GROUP BY a1.person, a1.origin, a1.parent, a1.class
{% endif %}
