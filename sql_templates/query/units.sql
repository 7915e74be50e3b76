{# How many rows of each bucket of the pivot satisfy each question: at least floor of what surely do
   but for the bucket, less the values of the bucket that do not; at most as many as it has values
   that do.
   grain: one row per question and unit: a bucket, or 0 for all rows that are in none
   in: found, asked when pivot, separate (see query/found), aggregated
   out: table units(question, key, unit, least, most, chance: expected number, mass: expected sum, floor
       and ceiling of chance) #}
CREATE TABLE units AS
SELECT
    k.question, k.key, k.unit,
    {% if pivot and separate %}CASE
        WHEN k.unit = 0 THEN k.sure
        ELSE GREATEST(0, k.sure - (a.size - a.n)) END{% else %}k.sure{% endif %} AS least,
    {% if pivot %}CASE
        WHEN k.unit = 0 THEN k.possible
        ELSE LEAST(k.possible, a.n) END{% else %}k.possible{% endif %} AS most,
    k.chance,
    CAST(FLOOR(k.chance + 0.000000001) AS BIGINT) AS floor,
    CAST(CEIL(k.chance - 0.000000001) AS BIGINT) AS ceiling
    {% if aggregated %}, k.mass{% endif +%}
FROM (
    SELECT
        f.question, f.key, f.unit,
        CAST(SUM(f.n * f.certain) AS BIGINT) AS sure,
        CAST(SUM(f.n) AS BIGINT) AS possible,
        CASE WHEN COUNT(f.chance) = COUNT(*) THEN SUM(f.chance) END AS chance
        {% if aggregated %},
            CASE WHEN COUNT(f.mass) = COUNT(*) THEN SUM(f.mass) END AS mass{% endif +%}
    FROM found AS f
    GROUP BY f.question, f.key, f.unit
) AS k
{% if pivot %}
LEFT JOIN (
    SELECT q.key, q.bucket, CAST(SUM(q.n) AS BIGINT) AS n, MAX(q.size) AS size
    FROM asked AS q
    GROUP BY q.key, q.bucket
) AS a ON a.key = k.key AND a.bucket = k.unit
{% endif %}
