{# The sensitive values of the people that match what may be known, by people.
   grain: one row per combination of a class of people and those of rows, and value
   in: size (of known rows), depth (the greatest of a table), index (of the column), place (of the
       known row that tells the value; 0 where any row of the person has it), some (see
       relational/search/macros), held, standing_1, carried_<index> or told_<index> (see
       relational/sensitive/carried and told). A row that another known one belongs to is known with
       that, and stands in no place of its own
   out: a SELECT of (own, c1 …, s<i>_<j>: as relational/search/rare has them, x<index>: the value,
        n: people who have it, own_people: people that match) #}
{% from 'relational/search/macros.sql' import keys, shared %}
{% from 'relational/sensitive/macros.sql' import in_all_orders %}
SELECT {{ keys('g', size, depth) }}, g.code AS {{ ('x' ~ index) | ident }}, g.n,
    CAST(SUM(g.firsts) OVER (PARTITION BY {{ keys('g', size, depth) }}) AS BIGINT) AS own_people
FROM (
    SELECT {{ keys('v', size, depth) }}, v.code, CAST(COUNT(*) AS BIGINT) AS n,
        SUM(CASE WHEN v.turn = 1 THEN 1 ELSE 0 END) AS firsts
    FROM (
        SELECT u.*, ROW_NUMBER() OVER (PARTITION BY {{ keys('u', size, depth) }}, u.person
            ORDER BY u.code NULLS LAST) AS turn
        FROM (
            {% if size %}
            SELECT DISTINCT a1.own, a1.person, p.code
            {% for one in range(1, size + 1) %}
                , a{{ one | integer }}.class AS c{{ one | integer }}
                {% for other in range(one + 1, size + 1) if depth > 1 %}
                , {{ shared(one, other, depth) }} AS s{{ one | integer }}_{{ other | integer }}
                {% endfor %}
            {% endfor %}
            {{ in_all_orders(size, depth) }}
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
            {% if some %}
            WHERE (a1.own * 7919 + a1.class) % {{ some[2] | integer }}
                BETWEEN {{ some[0] | integer }} AND {{ (some[1] - 1) | integer }}
            {% endif %}
            {% else %}
            SELECT DISTINCT t.class AS own, t.id AS person, p.code
            FROM standing_1 AS t
            JOIN {{ ('carried_' ~ index) | ident }} AS p ON p.person = t.id
            {% endif %}
        ) AS u
    ) AS v
    GROUP BY {{ keys('v', size, depth) }}, v.code
) AS g
