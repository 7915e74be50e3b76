{# How many people have what may be known: combinations of a class of people and those of rows, with
   the rows that they refer to in common.
   grain: one row per combination
   in: size (of known rows), depth (the greatest of a table), keys (own: the class of the person,
       c1 …: classes of rows, s<i>_<j>: how many rows that the i-th and the j-th refer to are the
       same), some (see relational/search/macros), held (a table of rows that may be known; without
       rows, the table of people)
   out: a SELECT of (keys, n: people) #}
{% from 'relational/search/macros.sql' import from_held, named, where_some %}
SELECT {{ keys | idents('v') }}, CAST(COUNT(*) AS BIGINT) AS n
FROM (
    {% if size %}
    SELECT DISTINCT a1.own, a1.person
    {{ named(size, depth) }}
    {{ from_held(held, size, depth, once=true) }}
    {{ where_some(some) }}
    {% else %}
    SELECT t.class AS own, t.id AS person
    FROM {{ held | ident }} AS t
    {% endif %}
) AS v
GROUP BY {{ keys | idents('v') }}
