{# Which values of the aggregated column make the least (or greatest) that an aggregate of the rows
   which satisfy a question can be. Of a bucket between fewest and most rows do, fewest of those
   that surely do but for the bucket: the best of these are taken for certain, then of the rest
   whatever lowers (raises) the aggregate. Where the pivot is what is aggregated, the bucket's
   values are taken in the place of its rows.
   grain: one row per question and value
   in: found, units, asked when own (the pivot is what is aggregated), side ('least' or
       'greatest'), fewest and most (columns of units), buckets_only (whether rows in no bucket are
       left out)
   out: table portions(question, value: NULL where it is not known, forced: rows that have it for
       certain, optional: rows that may) #}
CREATE TABLE portions AS
WITH
{% if own %}
of_buckets AS (
    SELECT
        u.question, a.value,
        GREATEST(0, LEAST(a.n, u.{{ fewest | ident }} - (a.{{ side | ident }} - a.n))) AS forced,
        GREATEST(0, LEAST(a.{{ side | ident }}, u.{{ most | ident }})
            - GREATEST(a.{{ side | ident }} - a.n, u.{{ fewest | ident }})) AS optional
    FROM units AS u
    JOIN asked AS a ON a.key = u.key AND a.bucket = u.unit
){% if not buckets_only %},{% endif +%}
{% endif %}
{% if not (own and buckets_only) %}
items AS (
    SELECT f.question, f.unit, f.{{ side | ident }} AS value, CAST(SUM(f.n) AS BIGINT) AS n,
        f.certain
    FROM found AS f
    {% if own %}
    WHERE f.unit = 0
    {% endif %}
    GROUP BY f.question, f.unit, f.{{ side | ident }}, f.certain
),
reached AS (
    SELECT
        i.question, i.unit, i.value, i.n, i.certain,
        u.{{ fewest | ident }} AS fewest, u.{{ most | ident }} AS most,
        SUM(CASE WHEN i.certain = 1 THEN i.n ELSE 0 END) OVER (PARTITION BY i.question, i.unit
            ORDER BY i.value {% if side == 'least' %}ASC{% else %}DESC{% endif %} NULLS FIRST,
                i.certain NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS up_to
    FROM items AS i
    JOIN units AS u ON u.question = i.question AND u.unit = i.unit
),
taken AS (
    SELECT
        r.question, r.unit, r.value, r.n, r.certain, r.fewest, r.most,
        CASE WHEN r.certain = 0 THEN 0
            WHEN r.unit = 0 THEN r.n
            ELSE GREATEST(0, LEAST(r.n, r.fewest - (r.up_to - r.n))) END AS forced
    FROM reached AS r
),
passed AS (
    SELECT
        t.question, t.unit, t.value, t.n, t.fewest, t.most, t.forced,
        SUM(t.n - t.forced) OVER (PARTITION BY t.question, t.unit
            ORDER BY t.value {% if side == 'least' %}ASC{% else %}DESC{% endif %} NULLS FIRST,
                t.certain NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS up_to
    FROM taken AS t
)
{% endif %}
SELECT y.question, y.value, CAST(SUM(y.forced) AS BIGINT) AS forced,
    CAST(SUM(y.optional) AS BIGINT) AS optional
FROM (
    {% if own %}
        SELECT b.question, b.value, b.forced, b.optional
        FROM of_buckets AS b
    {% endif %}
    {% if own and not buckets_only %}
        UNION ALL
    {% endif %}
    {% if not (own and buckets_only) %}
        SELECT
            p.question, p.value, p.forced,
            CASE WHEN p.unit = 0 THEN p.n - p.forced
                ELSE GREATEST(0,
                LEAST(p.n - p.forced,
                (p.most - p.fewest) - (p.up_to - (p.n - p.forced)))) END AS optional
        FROM passed AS p
    {% endif %}
) AS y
WHERE y.forced > 0 OR y.optional > 0
GROUP BY y.question, y.value
