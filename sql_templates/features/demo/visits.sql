{# The visits of a made-up population: none to six each, the older the more. As for people, a seed
   gives the same ones everywhere.
   grain: one row per visit
   in: table, people (the table of the population), seed
   out: table visits(visit_id, name: of the person, day, ward, reason) #}
CREATE TABLE {{ table | ident }} AS
WITH places AS (
    SELECT p.n FROM (VALUES (0), (1), (2), (3), (4), (5)) AS p (n)
),
mixed AS (
    SELECT
        p.name, p.age, p.disease, s.n,
        (((CAST(SUBSTR(p.name, 2, 10) AS BIGINT) * 6 + s.n) * 48271 + {{ seed | integer }})
            % 2147483647 * 16807 + 54321) % 2147483647 AS x
    FROM {{ people | ident }} AS p
    CROSS JOIN places AS s
),
uniforms AS (
    SELECT
        m.name, m.age, m.disease, m.n,
        ((m.x * m.x) % 2147483647 * 48271 + m.x) % 2147483629 % 1000000 / 1000000.0 AS u1,
        ((m.x * m.x) % 2147483647 * 69621 + m.x * 2) % 2147483629 % 1000000 / 1000000.0 AS u2,
        ((m.x * m.x) % 2147483647 * 39373 + m.x * 3) % 2147483629 % 1000000 / 1000000.0 AS u3
    FROM mixed AS m
)
SELECT
    ROW_NUMBER() OVER (ORDER BY u.name, u.n) AS visit_id,
    u.name,
    CAST('2025-01-01' AS DATE) + CAST(FLOOR(u.u2 * 730) AS INTEGER) AS day,
    CASE
        WHEN u.u3 < 0.40 THEN 'General' WHEN u.u3 < 0.65 THEN 'Emergency'
        WHEN u.u3 < 0.85 THEN 'Surgery' ELSE 'Heart'
    END AS ward,
    CASE WHEN u.u1 < 0.15 THEN u.disease ELSE 'Control' END AS reason
FROM uniforms AS u
WHERE u.u1 < 0.15 + 0.005 * u.age
