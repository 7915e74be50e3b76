{# People of a release, each with all rows, who can be nobody of the source. A row is the component
   that it fits and its kept values; whose it is, a surrogate or the value itself tells.
   grain: one row
   in: people_rows (see rows), shown (a table of class, y<j>, n; y<who>: the surrogate or value),
       people_classes(class, part), people_parts(part, whole: 1 where all of the source's rows that
       fit are released), kept [(number, type to cast the released value to or none, whether it is
       text then)], who, whole (whether rows of other components are left aside)
   out: (people of the release beyond those of the source with the same rows, people of the source
       beyond those of the release) #}
WITH sides AS (
    SELECT
        0 AS side,
        w.part,
        w.person,
        w.nobody,
    {% for j, cast, text in kept %}
        {{ j | sql('w.y#,') }}
    {% endfor %}
        w.n
    FROM people_rows AS w
    UNION ALL
    SELECT
        1 AS side,
        c.part,
        DENSE_RANK() OVER (ORDER BY s.y{{ who | integer }} NULLS FIRST) AS person,
        CASE WHEN s.y{{ who | integer }} IS NULL THEN 1 ELSE 0 END AS nobody,
    {% for j, cast, text in kept %}
        {% if cast %}CAST({% endif %}s.y{{ j | integer }}
        {%- if cast %} AS {{ cast | sql_type }}){% endif %}{% if text %} COLLATE "C"{% endif %}
        AS y{{ j | integer }},
    {% endfor %}
        s.n
    FROM {{ shown | ident }} AS s
    JOIN people_classes AS c ON c.class = s.class
),
numbered AS (
    SELECT
        v.side,
        v.person,
        DENSE_RANK() OVER (
            ORDER BY v.part NULLS FIRST, v.nobody NULLS FIRST
            {% for j, cast, text in kept %}
                , v.y{{ j | integer }}{% if text %} COLLATE "C"{% endif %} NULLS FIRST
            {% endfor %}
        ) AS kind,
        v.n
    FROM sides AS v
    {% if whole %}
    JOIN people_parts AS p ON p.part = v.part AND p.whole = 1
    {% endif %}
),
summed AS (
    SELECT m.side, m.person, m.kind, CAST(SUM(m.n) AS BIGINT) AS n
    FROM numbered AS m
    GROUP BY m.side, m.person, m.kind
),
people AS (
    SELECT
        m.side,
        m.person,
        STRING_AGG(
            CONCAT(CAST(m.kind AS VARCHAR), ':', CAST(m.n AS VARCHAR)), ' '
            ORDER BY m.kind NULLS FIRST
        ) AS all_rows
    FROM summed AS m
    GROUP BY m.side, m.person
),
differences AS (
    SELECT SUM(CASE WHEN e.side = 1 THEN 1 ELSE -1 END) AS more
    FROM people AS e
    GROUP BY e.all_rows
)
SELECT
    CAST(COALESCE(SUM(CASE WHEN d.more > 0 THEN d.more ELSE 0 END), 0) AS BIGINT) AS beyond,
    CAST(COALESCE(SUM(CASE WHEN d.more < 0 THEN -d.more ELSE 0 END), 0) AS BIGINT) AS lacking
FROM differences AS d
