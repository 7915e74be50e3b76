{# Whose rows are in rare combinations, and which rows of theirs: all with one parent and class.
   grain: one row per person, table, parent and class; where people alone are suppressed, or of
       combinations without rows, per person
   in: size (of the combinations), depth (the greatest of a table), alone (whether people alone are
       suppressed), rare (see relational/search/rare), held (rows of people that are gone are not
       looked at), standing_1
   out: a SELECT of (person, origin, parent, class: of the row, different in different tables) #}
{% from 'relational/search/macros.sql' import from_held, shared %}
{% if not size %}
SELECT t.id AS person, 1 AS origin, t.id AS parent, t.class
FROM standing_1 AS t
JOIN rare AS r ON r.own = t.class
{% endif %}
{% for number in range(1, 2 if alone and size else size + 1) %}
{% if alone %}
SELECT DISTINCT a1.person, 1 AS origin, a1.person AS parent, a1.own AS class
{% else %}
SELECT
    {{ number | sql('a#.person, a#.origin, a#.parent, a#.class') }}
{% endif %}
{{ from_held('held', size, depth, once=true) }}
JOIN rare AS r
    ON r.own = a1.own
    {% for one in range(1, size + 1) %}
    AND r.c{{ one | integer }} = a{{ one | integer }}.class
    {% for other in range(one + 1, size + 1) if depth > 1 %}
    AND r.s{{ one | integer }}_{{ other | integer }} = {{ shared(one, other, depth) }}
    {% endfor %}
    {% endfor %}
JOIN standing_1 AS o ON o.id = a1.person
{% if not loop.last %}UNION{% endif +%}
{% endfor %}
{% if size == 1 and not alone %}
GROUP BY a1.person, a1.origin, a1.parent, a1.class
{% endif %}
