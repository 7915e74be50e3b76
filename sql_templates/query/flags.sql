{# Which released values of a column may be one of a set, and which surely are: a label if all that
   it covers is in the set, a bucket if all its values are.
   grain: one row per set and released value that may be one of it
   in: c (queried column), number (of the sets); of labels labels_<index>(value, pieces: how many it
       covers, weight: NULL where it is not known, empty: 1 for NULL, lo and hi: ranks of the ends, x
       and y: the ends as they are measured, low and high: the least and the greatest number) and
       spans_<number>(key: of a set, empty, lo, hi, x, y, low, high); of other values
       hits_<number>, limits_<number>, and where they are ordered as numbers numbers_<index>; of
       buckets stock_<index>
   out: table flags_<number>(key, value, must: 1 or 0, share: the chance of the set, NULL where it is
       not known, least and greatest: number that it may be then, mass: share times the mean of
       these, approximately) #}
CREATE TABLE flags_{{ number | integer }} AS
{% if c.held.labels %}
SELECT
    o.key,
    CAST(o.value AS BIGINT) AS value,
    CASE WHEN SUM(o.covered) = MAX(o.pieces) THEN 1 ELSE 0 END AS must,
    CASE WHEN SUM(o.covered) = MAX(o.pieces) THEN 1
        WHEN COUNT(o.share) = COUNT(*) THEN SUM(o.share) END AS share,
    CASE WHEN COUNT(o.least) = COUNT(*) THEN MIN(o.least) END AS least,
    CASE WHEN COUNT(o.greatest) = COUNT(*) THEN MAX(o.greatest) END AS greatest,
    CASE WHEN COUNT(o.share) = COUNT(*)
        AND COUNT(CASE WHEN o.share = 0
        OR (o.first IS NOT NULL AND o.last IS NOT NULL) THEN 1 END) = COUNT(*)
        THEN SUM(CASE WHEN o.share > 0 THEN o.share * (o.first + o.last) / 2 ELSE 0 END) END AS mass
FROM (
    SELECT
        t.key, p.value, p.pieces,
        CASE WHEN t.lo <= p.lo AND p.hi <= t.hi THEN 1 ELSE 0 END AS covered,
        CASE
            WHEN p.weight = 0 OR (t.lo <= p.lo AND p.hi <= t.hi) THEN p.weight
            WHEN p.y > p.x
                THEN p.weight
                * GREATEST(0,
                LEAST(1, (COALESCE(LEAST(p.y, t.y), p.y) - COALESCE(GREATEST(p.x, t.x), p.x))
                / (p.y - p.x)))
        END AS share,
        CASE WHEN p.x IS NULL THEN t.x
            WHEN t.x IS NULL THEN p.x ELSE GREATEST(p.x, t.x) END AS first,
        CASE WHEN p.y IS NULL THEN t.y WHEN t.y IS NULL THEN p.y ELSE LEAST(p.y, t.y) END
            - CAST({{ c.domain.unit | literal }} AS DOUBLE) AS last,
        CASE WHEN p.low IS NULL THEN t.low
            WHEN t.low IS NULL THEN p.low ELSE GREATEST(p.low, t.low) END AS least,
        CASE WHEN p.high IS NULL THEN t.high
            WHEN t.high IS NULL THEN p.high ELSE LEAST(p.high, t.high) END AS greatest
    FROM labels_{{ c.index | integer }} AS p
    JOIN spans_{{ number | integer }} AS t ON t.empty = p.empty AND p.lo < t.hi AND t.lo < p.hi
) AS o
GROUP BY o.key, o.value
{% endif %}
{% if c.held.kept %}
SELECT
    h.key,
    CAST(h.code AS BIGINT) AS value,
    1 AS must,
    CAST(1 AS DOUBLE) AS share,
    {% if c.ordered %}
    d.number AS least, d.number AS greatest,
        CAST(d.number AS DOUBLE) / CAST({{ c.unit | literal }} AS DOUBLE) AS mass
    {% else %}
    CAST(NULL AS {{ c.number | sql_type }}) AS least,
        CAST(NULL AS {{ c.number | sql_type }}) AS greatest, CAST(NULL AS DOUBLE) AS mass
    {% endif %}
FROM hits_{{ number | integer }} AS h
{% if c.ordered %}
LEFT JOIN numbers_{{ c.index | integer }} AS d ON d.code = h.code
{% endif %}
{% endif %}
{% if c.held.bucketed %}
{% if c.held.labels %}
UNION ALL
{% endif %}
SELECT
    h.key,
    CAST(s.bucket AS BIGINT) AS value,
    CASE WHEN SUM(s.n) = MAX(s.size) THEN 1 ELSE 0 END AS must,
    CAST(SUM(s.n) AS DOUBLE) / CAST(MAX(s.size) AS DOUBLE) AS share,
    MIN(s.value) AS least,
    MAX(s.value) AS greatest,
    CAST(SUM(s.n * s.value) AS DOUBLE) / CAST({{ c.unit | literal }} AS DOUBLE)
        / CAST(MAX(s.size) AS DOUBLE) AS mass
FROM hits_{{ number | integer }} AS h
JOIN stock_{{ c.index | integer }} AS s ON s.code = h.code
GROUP BY h.key, s.bucket
{% endif %}
{% if c.held.kept or c.held.bucketed %}
UNION ALL
SELECT DISTINCT u.key, CAST(-1 AS BIGINT), 0, CAST(NULL AS DOUBLE),
    CAST(NULL AS {{ c.number | sql_type }}), CAST(NULL AS {{ c.number | sql_type }}),
    CAST(NULL AS DOUBLE)
FROM limits_{{ number | integer }} AS u
{% endif %}
