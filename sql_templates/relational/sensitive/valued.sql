{# The sensitive values of the people that match what may be known, by people.
   grain: one row per combination of a class of people and those of rows, and value
   in: size (of known rows), depth (the greatest of a table), keys (see relational/search/counts),
       index (of the column), place (of the known row that tells the value; 0 where any row of the
       person has it), some (see relational/search/macros), held, standing_1, carried_<index> or
       told_<index> (see relational/sensitive/carried and told). A row that another known one
       belongs to is known with that, and stands in no place of its own
   out: a SELECT of (keys, x<index>: the value, n: people who have it, own_people: people that
        match) #}
{% from 'relational/search/macros.sql' import from_held, named, where_some %}
SELECT {{ keys | idents('g') }}, g.code AS {{ ('x' ~ index) | ident }}, g.n,
    CAST(SUM(g.firsts) OVER (PARTITION BY {{ keys | idents('g') }}) AS BIGINT) AS own_people
FROM (
    SELECT {{ keys | idents('v') }}, v.code, CAST(COUNT(*) AS BIGINT) AS n,
        SUM(CASE WHEN v.turn = 1 THEN 1 ELSE 0 END) AS firsts
    FROM (
        SELECT u.*, ROW_NUMBER() OVER (PARTITION BY {{ keys | idents('u') }}, u.person
            ORDER BY u.code NULLS LAST) AS turn
        FROM (
            {% if size %}
            SELECT DISTINCT a1.own, a1.person, p.code
            {{ named(size, depth) }}
            {{ from_held('held', size, depth, once=false) }}
            {% if place %}
            JOIN {{ ('told_' ~ index) | ident }} AS p
                ON p.origin = a{{ place | integer }}.origin
                AND p.parent = a{{ place | integer }}.parent
                AND p.class = a{{ place | integer }}.class
                {% for other in range(1, size + 1) if other != place %}
                {% for floor in range(1, depth) %}
                AND COALESCE(a{{ other | integer }}.b{{ floor | integer }}, -1) <> p.item
                {% endfor %}
                {% endfor %}
            {% else %}
            JOIN {{ ('carried_' ~ index) | ident }} AS p ON p.person = a1.person
            {% endif %}
            {{ where_some(some) }}
            {% else %}
            SELECT DISTINCT t.class AS own, t.id AS person, p.code
            FROM standing_1 AS t
            JOIN {{ ('carried_' ~ index) | ident }} AS p ON p.person = t.id
            {% endif %}
        ) AS u
    ) AS v
    GROUP BY {{ keys | idents('v') }}, v.code
) AS g
