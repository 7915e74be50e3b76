{# The sensitive values of the people that match what may be known.
   grain: one row per thing that may be known and value
   in: rows (how many are known, none of which another one belongs to), depth (the greatest), place
       (of the row that tells the value; 0 where any of the person's does), index (of the column),
       keys (own, kind1 …, common2_1 …), owners, knowable (all rows), of_people, tells
   out: a SELECT of (keys, x<index>: code of the value, n: people who have it, own_people: that
        match) #}
WITH matched AS (
    SELECT DISTINCT t.own, t.id AS person, p.code
    {% for i in range(1, rows + 1) %}
        , r{{ i | integer }}.kind AS kind{{ i | integer }}
        {% for j in range(1, i) %}
        , ({% for floor in range(1, depth + 1) %}
            CASE WHEN r{{ i | integer }}.b{{ floor | integer }}
                = r{{ j | integer }}.b{{ floor | integer }} THEN 1 ELSE 0 END
            {% if not loop.last %}+{% endif +%}
            {% endfor %}) AS common{{ i | integer }}_{{ j | integer }}
        {% endfor %}
    {% endfor %}
    FROM owners AS t
    {% for i in range(1, rows + 1) %}
    JOIN knowable AS r{{ i | integer }} ON r{{ i | integer }}.person = t.id
        {% for j in range(1, i) %}
        AND r{{ j | integer }}.me <> r{{ i | integer }}.me
        AND ({% for floor in range(1, depth + 1) %}
            CASE WHEN r{{ i | integer }}.b{{ floor | integer }}
                = r{{ j | integer }}.b{{ floor | integer }} THEN 1 ELSE 0 END
            {% if not loop.last %}+{% endif +%}
            {% endfor %}) < LEAST(r{{ i | integer }}.floor, r{{ j | integer }}.floor)
        {% if j == i - 1 %}
        AND r{{ j | integer }}.kind <= r{{ i | integer }}.kind
        {% endif %}
        {% endfor %}
    {% endfor %}
    {% if place %}
    JOIN tells AS p ON p.me = r{{ place | integer }}.me
    {% else %}
    JOIN of_people AS p ON p.person = t.id
    {% endif %}
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
