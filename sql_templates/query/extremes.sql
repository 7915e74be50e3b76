{# The least (or greatest) that the sum, the mean, the least and the greatest value of the rows that
   satisfy a question can be.
   grain: one row per question
   in: portions (see query/portions), side ('least' or 'greatest')
   out: (question, sum, mean_sum and mean_rows: whose quotient is the mean, unknown: rows whose
       value is not known, far: the outermost value on this side, near: what the other end of the
       values is at least (at most), rows, size: sum of what the values are but for their signs,
       reach: the greatest of these) #}
WITH sums AS (
    SELECT
        o.question,
        CAST(SUM(o.forced) AS BIGINT) AS forced,
        COALESCE(SUM(o.forced * o.value), 0) AS forced_sum,
        COALESCE(SUM(CASE
            WHEN o.value {% if side == 'least' %}<{% else %}>{% endif %} 0
            THEN o.optional * o.value END), 0) AS optional_sum,
        CAST(SUM(CASE
            WHEN o.value IS NULL THEN o.forced + o.optional ELSE 0 END) AS BIGINT) AS unknown,
        {% if side == 'least' %}MIN{% else %}MAX{% endif %}(o.value) AS far,
        {% if side == 'least' %}MAX{% else %}MIN{% endif %}(CASE
            WHEN o.forced > 0 THEN o.value END) AS near,
        CAST(SUM(o.forced + o.optional) AS BIGINT) AS n,
        SUM((o.forced + o.optional) * ABS(o.value)) AS size,
        MAX(ABS(o.value)) AS reach
    FROM portions AS o
    GROUP BY o.question
),
steps AS (
    SELECT
        o.question, o.value, o.optional,
        CAST(COALESCE(SUM(o.optional) OVER earlier, 0) AS BIGINT) AS before,
        COALESCE(SUM(o.optional * o.value) OVER earlier, 0) AS total
    FROM portions AS o
    WHERE o.optional > 0
    WINDOW earlier AS (
        PARTITION BY o.question
        ORDER BY o.value {% if side == 'least' %}ASC{% else %}DESC{% endif %} NULLS FIRST
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
),
means AS (
    SELECT t.question, CAST(SUM(t.optional) AS BIGINT) AS n, SUM(t.optional * t.value) AS total
    FROM steps AS t
    JOIN sums AS s ON s.question = t.question
    WHERE s.forced + t.before = 0
        OR t.value * (s.forced
            + t.before) {% if side == 'least' %}<{% else %}>{% endif %} s.forced_sum + t.total
    GROUP BY t.question
)
SELECT
    s.question,
    s.forced_sum + s.optional_sum AS sum,
    s.forced_sum + COALESCE(m.total, 0) AS mean_sum,
    s.forced + COALESCE(m.n, 0) AS mean_rows,
    s.unknown, s.far, s.near, s.n, s.size, s.reach
FROM sums AS s
LEFT JOIN means AS m ON m.question = s.question
