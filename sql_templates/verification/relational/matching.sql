{# The sensitive values of the people that match what may be known.
   grain: one row per thing that may be known and value
   in: rows (how many are known, none of which another one belongs to), depth (the greatest), place
       (of the row that tells the value; 0 where any of the person's does), index (of the column),
       keys (own, kind1 …, common2_1 …), shares and share (see verification/relational/macros),
       owners, knowable, of_people, tells. The row in the place may be any that nothing tells from
       it, but for others that are known
   out: a SELECT of (keys, x<index>: code of the value, n: people who have it, own_people: that
        match) #}
{% from 'verification/relational/macros.sql' import combined, named, where_share %}
WITH matched AS (
    SELECT DISTINCT t.own, t.id AS person, p.code
    {{ named(rows, depth) }}
    FROM owners AS t
    {{ combined(rows, depth) }}
    {% if place %}
    JOIN tells AS p
        ON p.parent = r{{ place | integer }}.parent AND p.kind = r{{ place | integer }}.kind
        {% for other in range(1, rows + 1) if other != place %}
        {% for floor in range(1, depth + 1) %}
        AND COALESCE(r{{ other | integer }}.b{{ floor | integer }}, -1) <> p.me
        {% endfor %}
        {% endfor %}
    {% else %}
    JOIN of_people AS p ON p.person = t.id
    {% endif %}
    {{ where_share(['t', 'own'], rows, shares, share) }}
)
SELECT {{ keys | idents('m') }}, m.code AS {{ ('x' ~ index) | ident }},
    CAST(COUNT(*) AS BIGINT) AS n, MAX(c.people) AS own_people
FROM matched AS m
JOIN (
    SELECT {{ keys | idents('q') }}, CAST(COUNT(DISTINCT q.person) AS BIGINT) AS people
    FROM matched AS q
    GROUP BY {{ keys | idents('q') }}
) AS c ON {{ keys | each('c.@ = m.@', ' AND ') }}
GROUP BY {{ keys | idents('m') }}, m.code
