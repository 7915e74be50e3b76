{# People of a release, each with all rows, who can be nobody of the source. A row is the part that
   it fits and its kept values; whose it is, a surrogate or the value itself tells.
   grain: one row
   in: people_rows and people_shown (see rows, shown), people_parts, kept (the columns v<facet> of
       kept values), whole (whether parts are left aside of which not all rows are released)
   out: (people of the release beyond those of the source with the same rows, people of the source
       beyond those of the release, rows that fit and are not released) #}
WITH sides AS (
    SELECT 0 AS side, w.part, w.person, w.nobody, {{ kept | each('w.@,') }} w.n
    FROM people_rows AS w
    UNION ALL
    SELECT 1 AS side, s.part, s.person, s.nobody, {{ kept | each('s.@,') }} s.n
    FROM people_shown AS s
),
numbered AS (
    SELECT
        v.side,
        v.person,
        DENSE_RANK() OVER (
            ORDER BY v.part NULLS FIRST, v.nobody NULLS FIRST{{ kept | each(', v.@ NULLS FIRST') }}
        ) AS kind,
        v.n
    FROM sides AS v
    {% if whole %}
    JOIN people_parts AS p ON p.part = v.part AND p.fitting = p.released
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
    CAST(COALESCE(SUM(CASE WHEN d.more < 0 THEN -d.more ELSE 0 END), 0) AS BIGINT) AS lacking,
    (
        SELECT CAST(COALESCE(SUM(p.fitting - p.released), 0) AS BIGINT)
        FROM people_parts AS p
        WHERE p.fitting > p.released
    ) AS left_over
FROM differences AS d
