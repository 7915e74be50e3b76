{# The least (or greatest) sum and mean that the rows which satisfy a question can have. Of a bucket between fewest and most rows do,
   fewest of those that surely do but for the bucket: the best of these are taken for certain, then of the rest whatever lowers (raises)
   the sum or the mean. Where the pivot is what is summed, the bucket's values are taken in the place of its rows.
   grain: one row per question
   in: found, units, asked and shapes when own (the pivot is what is summed), side ('least' or 'greatest'), fewest and most (columns of units),
       buckets_only (whether rows in no bucket are left out)
   out: (question, sum, mean, unknown: rows taken whose value is not known) #}
WITH
{% if own %}
of_buckets AS (
    SELECT
        u.question,
        a.value,
        GREATEST(0, LEAST(a.n, u.{{ fewest | ident }} - (a.{{ side | ident }} - a.n))) AS forced,
        GREATEST(0, LEAST(a.{{ side | ident }}, u.{{ most | ident }}) - GREATEST(a.{{ side | ident }} - a.n, u.{{ fewest | ident }})) AS optional
    FROM units AS u
    JOIN shapes AS w ON w.question = u.question
    JOIN asked AS a ON a.shape = w.shape AND a.bucket = u.unit
),
{% endif %}
{% if not (own and buckets_only) %}
items AS (
    SELECT f.question, f.unit, f.{{ side | ident }} AS value, CAST(SUM(f.n) AS BIGINT) AS n, f.certain
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
        SUM(CASE WHEN i.certain = 1 THEN i.n ELSE 0 END) OVER (PARTITION BY i.question, i.unit ORDER BY i.value {% if side == 'least' %}ASC{% else %}DESC{% endif %} NULLS FIRST, i.certain NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS up_to
    FROM items AS i
    JOIN units AS u ON u.question = i.question AND u.unit = i.unit
),
taken AS (
    SELECT
        r.question, r.unit, r.value, r.n, r.certain, r.fewest, r.most,
        CASE WHEN r.certain = 0 THEN 0 WHEN r.unit = 0 THEN r.n ELSE GREATEST(0, LEAST(r.n, r.fewest - (r.up_to - r.n))) END AS forced
    FROM reached AS r
),
passed AS (
    SELECT
        t.question, t.unit, t.value, t.n, t.fewest, t.most, t.forced,
        SUM(t.n - t.forced) OVER (PARTITION BY t.question, t.unit ORDER BY t.value {% if side == 'least' %}ASC{% else %}DESC{% endif %} NULLS FIRST, t.certain NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS up_to
    FROM taken AS t
),
{% endif %}
portions AS (
    SELECT y.question, y.value, SUM(y.forced) AS forced, SUM(y.optional) AS optional
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
            p.question,
            p.value,
            p.forced,
            CASE WHEN p.unit = 0 THEN p.n - p.forced ELSE GREATEST(0, LEAST(p.n - p.forced, (p.most - p.fewest) - (p.up_to - (p.n - p.forced)))) END AS optional
        FROM passed AS p
    {% endif %}
    ) AS y
    WHERE y.forced > 0 OR y.optional > 0
    GROUP BY y.question, y.value
),
sums AS (
    SELECT
        o.question,
        SUM(o.forced) AS forced,
        SUM(o.forced * o.value) AS forced_sum,
        SUM(CASE WHEN o.value {% if side == 'least' %}<{% else %}>{% endif %} 0 THEN o.optional * o.value ELSE 0 END) AS optional_sum,
        SUM(CASE WHEN o.value IS NULL THEN o.forced + o.optional ELSE 0 END) AS unknown
    FROM portions AS o
    GROUP BY o.question
),
steps AS (
    SELECT
        o.question,
        SUM(o.optional) OVER (PARTITION BY o.question ORDER BY o.value {% if side == 'least' %}ASC{% else %}DESC{% endif %} NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS n,
        SUM(o.optional * o.value) OVER (PARTITION BY o.question ORDER BY o.value {% if side == 'least' %}ASC{% else %}DESC{% endif %} NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total
    FROM portions AS o
    WHERE o.optional > 0
    UNION ALL
    SELECT s.question, 0, 0
    FROM sums AS s
),
means AS (
    SELECT s.question, {% if side == 'least' %}MIN{% else %}MAX{% endif %}((COALESCE(s.forced_sum, 0) + t.total) / CAST(s.forced + t.n AS DOUBLE)) AS mean
    FROM steps AS t
    JOIN sums AS s ON s.question = t.question
    WHERE s.forced + t.n > 0
    GROUP BY s.question
)
SELECT
    s.question,
    CAST(COALESCE(s.forced_sum, 0) + COALESCE(s.optional_sum, 0) AS DOUBLE) AS sum,
    CAST(m.mean AS DOUBLE) AS mean,
    CAST(s.unknown AS BIGINT) AS unknown
FROM sums AS s
LEFT JOIN means AS m ON m.question = s.question
