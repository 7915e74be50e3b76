{# How many people have what may be known, for each thing that may: the class of the own row, the
   kinds of some rows, and for every two of them how many rows they both belong to.
   grain: one row
   in: rows (how many are known, none of which another one belongs to), depth (the greatest), k,
       shares (that things are divided into, by the own row and one of the others) and share (which
       one is looked at), verified_1, knowable
   out: (things that may be known, those of fewer than k people, the fewest people that one has) #}
SELECT COUNT(*) AS things, COUNT(CASE WHEN g.people < {{ k | integer }} THEN 1 END) AS rare,
    MIN(g.people) AS fewest
FROM (
    SELECT COUNT(DISTINCT w.person) AS people
    FROM (
        SELECT t.alike AS own, t.id AS person
        {% for i in range(1, rows + 1) %}
            , r{{ i | integer }}.kind AS kind{{ i | integer }}
            {% for j in range(1, i) %}
            , ({% for place in range(1, depth + 1) %}
                CASE WHEN r{{ i | integer }}.b{{ place | integer }}
                    = r{{ j | integer }}.b{{ place | integer }} THEN 1 ELSE 0 END
                {% if not loop.last %}+{% endif +%}
                {% endfor %}) AS common{{ i | integer }}_{{ j | integer }}
            {% endfor %}
        {% endfor %}
        FROM verified_1 AS t
        {% for i in range(1, rows + 1) %}
        JOIN knowable AS r{{ i | integer }} ON r{{ i | integer }}.person = t.id
        {% endfor %}
        {% for i in range(1, rows + 1) %}
        {% for j in range(1, i) %}
        {% if loop.first and i == 2 %}WHERE{% else %}AND{% endif +%}
            r{{ j | integer }}.me <> r{{ i | integer }}.me
            AND ({% for place in range(1, depth + 1) %}
                CASE WHEN r{{ i | integer }}.b{{ place | integer }}
                    = r{{ j | integer }}.b{{ place | integer }} THEN 1 ELSE 0 END
                {% if not loop.last %}+{% endif +%}
                {% endfor %}) < LEAST(r{{ i | integer }}.floor, r{{ j | integer }}.floor)
            {% if j == i - 1 %}
            AND r{{ j | integer }}.kind <= r{{ i | integer }}.kind
            {% endif %}
        {% endfor %}
        {% endfor %}
        {% if shares > 1 %}
        {% if rows > 1 %}AND{% else %}WHERE{% endif +%}
            (t.alike + 31 * r1.kind) % {{ shares | integer }} = {{ share | integer }}
        {% endif %}
    ) AS w
    GROUP BY w.own
    {% for i in range(1, rows + 1) %}
        , w.kind{{ i | integer }}
        {% for j in range(1, i) %}
        , w.common{{ i | integer }}_{{ j | integer }}
        {% endfor %}
    {% endfor %}
) AS g
