{# How many people have what may be known: combinations of a class of people and those of rows, with
   the rows that they refer to in common.
   grain: one row per combination
   in: size (of known rows), depth (the greatest of a table), some (see relational/search/macros),
       held (a table of rows that may be known; without rows, the table of people)
   out: a SELECT of (own, c1 …: classes of rows, s<i>_<j>: rows that the i-th and the j-th refer to
        and share, n: people) #}
{% from 'relational/search/macros.sql' import from_held, keys, shared %}
SELECT {{ keys('v', size, depth) }}, CAST(COUNT(*) AS BIGINT) AS n
FROM (
    {% if size %}
    SELECT DISTINCT a1.own, a1.person
    {% for one in range(1, size + 1) %}
        , a{{ one | integer }}.class AS c{{ one | integer }}
        {% for other in range(one + 1, size + 1) if depth > 1 %}
        , {{ shared(one, other, depth) }} AS s{{ one | integer }}_{{ other | integer }}
        {% endfor %}
    {% endfor %}
    {{ from_held(held, size, depth, some) }}
    {% else %}
    SELECT t.class AS own, t.id AS person
    FROM {{ held | ident }} AS t
    {% endif %}
) AS v
GROUP BY {{ keys('v', size, depth) }}
