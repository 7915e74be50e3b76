{# What may be known of fewer than k people: combinations of a class of people and those of rows,
   with the rows that they refer to in common.
   grain: one row per combination
   in: size (of known rows), depth (the greatest of a table), k, parts and part (see
       relational/search/macros), held, standing_1
   out: a SELECT of (own, c1 …: classes of rows, s<i>_<j>: rows that the i-th and the j-th refer to
        and share) #}
{% from 'relational/search/macros.sql' import from_held, shared %}
SELECT v.own
    {% for one in range(1, size + 1) %}
    , v.c{{ one | integer }}
    {% for other in range(one + 1, size + 1) if depth > 1 %}
    , v.s{{ one | integer }}_{{ other | integer }}
    {% endfor %}
    {% endfor %}
FROM (
    {% if size %}
    SELECT DISTINCT a1.own, a1.person
    {% for one in range(1, size + 1) %}
        , a{{ one | integer }}.class AS c{{ one | integer }}
        {% for other in range(one + 1, size + 1) if depth > 1 %}
        , {{ shared(one, other, depth) }} AS s{{ one | integer }}_{{ other | integer }}
        {% endfor %}
    {% endfor %}
    {{ from_held(size, depth, parts, part) }}
    {% else %}
    SELECT t.class AS own, t.id AS person
    FROM standing_1 AS t
    {% endif %}
) AS v
GROUP BY v.own
    {% for one in range(1, size + 1) %}
    , v.c{{ one | integer }}
    {% for other in range(one + 1, size + 1) if depth > 1 %}
    , v.s{{ one | integer }}_{{ other | integer }}
    {% endfor %}
    {% endfor %}
HAVING COUNT(*) < {{ k | integer }}
