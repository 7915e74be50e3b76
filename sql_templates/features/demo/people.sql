{# A made-up population with correlated columns: where people live goes with their country, age with
   marriage and schooling, schooling with work, work with the reason for the visit. Uniforms come
   from squares modulo a prime, in integers, so that a seed gives the same people everywhere.
   grain: one row per person
   in: table, rows, seed, factors (one for each uniform)
   out: table people #}
CREATE TABLE {{ table | ident }} AS
WITH digits AS (
    SELECT d.n FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS d (n)
),
numbers AS (
    SELECT CAST(a.n + 10 * b.n + 100 * c.n AS BIGINT) AS n FROM digits AS a, digits AS b,
        digits AS c
),
ids AS (
    SELECT low.n + 1000 * mid.n + 1000000 * high.n AS id
    FROM numbers AS low, numbers AS mid, numbers AS high
    WHERE mid.n <= {{ (rows // 1000) | integer }} AND high.n <= {{ (rows // 1000000) | integer }}
      AND low.n + 1000 * mid.n + 1000000 * high.n < {{ rows | integer }}
),
mixed AS (
    SELECT i.id,
        (((i.id * 48271 + {{ seed | integer }}) % 2147483647) * 16807 + 12345) % 2147483647 AS x
    FROM ids AS i
),
uniforms AS (
    SELECT
        m.id,
    {% for factor in factors %}
        CAST((((m.x * m.x) % 2147483647) * {{ factor | integer }} + m.x
            * {{ loop.index | integer }}) % 2147483629 % 1000000 AS DOUBLE)
            / 1000000 AS u{{ loop.index | integer }}{% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM mixed AS m
),
basics AS (
    SELECT
        u.*,
        CAST(FLOOR(17 + 45 * u.u1 + 28 * u.u1 * u.u2) AS INTEGER) AS age,
        CASE WHEN u.u4 < 0.49 THEN 'Male' ELSE 'Female' END AS sex,
        CASE
            WHEN u.u5 < 0.90 THEN 'United-States' WHEN u.u5 < 0.925 THEN 'Mexico'
                WHEN u.u5 < 0.935 THEN 'Philippines'
            WHEN u.u5 < 0.945 THEN 'Germany' WHEN u.u5 < 0.953 THEN 'Canada'
                WHEN u.u5 < 0.961 THEN 'India'
            WHEN u.u5 < 0.968 THEN 'China' WHEN u.u5 < 0.975 THEN 'Cuba'
                WHEN u.u5 < 0.981 THEN 'England'
            WHEN u.u5 < 0.986 THEN 'Vietnam' WHEN u.u5 < 0.990 THEN 'Italy'
                WHEN u.u5 < 0.994 THEN 'Poland'
            WHEN u.u5 < 0.997 THEN 'Colombia' ELSE 'Peru'
        END AS country
    FROM uniforms AS u
),
schooled AS (
    SELECT
        b.*,
        CASE
            WHEN b.u6 < 0.03 THEN '7th-8th' WHEN b.u6 < 0.10 THEN '11th'
            WHEN b.u6 < 0.42 OR b.age < 19 THEN 'HS-grad'
            WHEN b.u6 < 0.64 OR b.age < 23 THEN 'Some-college'
            WHEN b.u6 < 0.73 THEN 'Assoc-voc' WHEN b.u6 < 0.91 THEN 'Bachelors'
            WHEN b.u6 < 0.97 THEN 'Masters' WHEN b.u6 < 0.985 THEN 'Prof-school' ELSE 'Doctorate'
        END AS education,
        CASE
            WHEN b.age < 25 THEN CASE WHEN b.u7 < 0.90 THEN 'Never-married' ELSE 'Married' END
            WHEN b.age > 70
                THEN CASE WHEN b.u7 < 0.35 THEN 'Widowed'
                WHEN b.u7 < 0.85 THEN 'Married' ELSE 'Divorced' END
            WHEN b.u7 < 0.55 THEN 'Married' WHEN b.u7 < 0.80 THEN 'Never-married'
                WHEN b.u7 < 0.95 THEN 'Divorced'
            ELSE 'Separated'
        END AS marital_status,
        CASE
            WHEN b.country = 'United-States' AND b.u8 < 0.80 THEN 'White'
                WHEN b.country = 'United-States' AND b.u8 < 0.93 THEN 'Black'
            WHEN b.country IN ('India', 'China', 'Vietnam', 'Philippines') THEN 'Asian'
                WHEN b.u8 < 0.70 THEN 'White' ELSE 'Other'
        END AS race
    FROM basics AS b
)
SELECT
    'P' || LPAD(CAST(s.id AS VARCHAR), 10, '0')
        || CASE WHEN s.u3 < 0.5 THEN '-A' ELSE '-B' END AS name,
    s.age, s.sex, s.race, s.marital_status, s.education, s.country,
    LPAD(CAST(CAST(FLOOR(s.u9 * s.u9 * 60) AS INTEGER)
        + CASE WHEN s.country = 'United-States' THEN 100 ELSE 160 END AS VARCHAR), 3,
        '0') AS region,
    CASE
        WHEN s.age > 68 THEN 'Retired'
        WHEN s.education IN ('Bachelors', 'Masters', 'Prof-school', 'Doctorate')
            THEN CASE WHEN s.u10 < 0.40 THEN 'Professional' WHEN s.u10 < 0.70 THEN 'Manager'
                WHEN s.u10 < 0.85 THEN 'Sales' ELSE 'Clerical' END
        WHEN s.u10 < 0.25 THEN 'Craft' WHEN s.u10 < 0.45 THEN 'Service'
            WHEN s.u10 < 0.60 THEN 'Clerical'
        WHEN s.u10 < 0.72 THEN 'Sales' WHEN s.u10 < 0.84 THEN 'Transport'
            WHEN s.u10 < 0.95 THEN 'Machine-op' ELSE 'Farming'
    END AS occupation,
    CAST('2025-01-01' AS DATE) + CAST(FLOOR(s.u11 * 730) AS INTEGER) AS visited,
    CASE
        WHEN s.age > 60 AND s.u12 < 0.45 THEN 'Heart disease' WHEN s.u12 < 0.30 THEN 'Flu'
            WHEN s.u12 < 0.50 THEN 'Back pain'
        WHEN s.u12 < 0.65 THEN 'Diabetes' WHEN s.u12 < 0.78 THEN 'Asthma'
            WHEN s.u12 < 0.88 THEN 'Depression'
        WHEN s.u12 < 0.95 THEN 'Cancer' ELSE 'HIV'
    END AS disease
FROM schooled AS s
