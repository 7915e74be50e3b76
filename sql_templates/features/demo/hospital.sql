{# Made-up visits of a hospital's patients: three visits of two patients, more or less; the older the
   dearer, and few have what is rare. As for people, a seed gives the same ones everywhere.
   grain: one row per visit
   in: table, rows (visits), seed
   out: table visits(visit_id, patient_id, region, sex, age, diagnosis, cost) #}
CREATE TABLE {{ table | ident }} AS
WITH mixed AS (
    SELECT v.visit_id, v.visit_id * 2 // 3 AS patient_id
    FROM RANGE({{ rows | integer }}) AS v (visit_id)
),
drawn AS (
    SELECT
        m.visit_id, m.patient_id,
        ((m.patient_id * 48271 + {{ seed | integer }}) % 2147483647 * 16807 + 12345)
            % 2147483647 AS x,
        ((m.visit_id * 69621 + {{ seed | integer }}) % 2147483647 * 16807 + 54321)
            % 2147483647 AS y
    FROM mixed AS m
),
uniforms AS (
    SELECT
        d.visit_id, d.patient_id,
        ((d.x * d.x) % 2147483647 * 48271 + d.x) % 2147483629 % 1000000 / 1000000.0 AS u1,
        ((d.x * d.x) % 2147483647 * 69621 + d.x * 2) % 2147483629 % 1000000 / 1000000.0 AS u2,
        ((d.x * d.x) % 2147483647 * 39373 + d.x * 3) % 2147483629 % 1000000 / 1000000.0 AS u3,
        ((d.y * d.y) % 2147483647 * 48271 + d.y) % 2147483629 % 1000000 / 1000000.0 AS u4,
        ((d.y * d.y) % 2147483647 * 69621 + d.y * 2) % 2147483629 % 1000000 / 1000000.0 AS u5
    FROM drawn AS d
)
SELECT
    u.visit_id,
    u.patient_id,
    CASE
        WHEN u.u1 < 0.34 THEN 'Zealand' WHEN u.u1 < 0.58 THEN 'Jutland'
        WHEN u.u1 < 0.70 THEN 'Funen' WHEN u.u1 < 0.86 THEN 'Scania'
        WHEN u.u1 < 0.97 THEN 'Halland' ELSE 'Gotland'
    END AS region,
    CASE WHEN u.u2 < 0.49 THEN 'male' ELSE 'female' END AS sex,
    CAST(FLOOR(90 * u.u3) AS INTEGER) AS age,
    CASE
        WHEN u.u4 < 0.31 THEN 'flu' WHEN u.u4 < 0.55 THEN 'asthma' WHEN u.u4 < 0.75 THEN 'diabetes'
        WHEN u.u4 < 0.90 THEN 'heart' WHEN u.u4 < 0.985 THEN 'cancer' ELSE 'leprosy'
    END AS diagnosis,
    CAST((40 + 90 * u.u3) / (0.02 + u.u5) AS DECIMAL(10, 2)) AS cost
FROM uniforms AS u
