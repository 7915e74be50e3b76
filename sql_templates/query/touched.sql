{# Which released values of a column may stand for a value of which section.
   grain: one row per section and released value
   in: c (facet), uses_<index>; of labels pieces_<index>(value, pieces: how many, empty: 1 for NULL,
       lo and hi: ranks of its ends, weight: NULL where it is not known, x and y: its ends as they
       are measured, low and high: the least and the greatest number in it) and
       spans_<index>(section, empty, lo, hi, x, y, low, high); of values told as they are
       hits_<index>, and where they are ordered as numbers numbers_<index>; of buckets stock_<index>
   out: table touched_<index>(section, value, share: the chance of the section, NULL where it is not
       known, least and greatest: number that it may be then, mass: share times the mean of these,
       approximately) #}
CREATE TABLE touched_{{ c.index | integer }} AS
{% if c.held.labels %}
SELECT
    o.section,
    CAST(o.value AS BIGINT) AS value,
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
        t.section, p.value, p.pieces,
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
    FROM pieces_{{ c.index | integer }} AS p
    JOIN spans_{{ c.index | integer }} AS t ON t.empty = p.empty AND p.lo < t.hi AND t.lo < p.hi
) AS o
GROUP BY o.section, o.value
{% endif %}
{% if c.held.kept %}
SELECT
    h.section,
    CAST(h.code AS BIGINT) AS value,
    CAST(1 AS DOUBLE) AS share,
    {% if c.ordered %}
    d.number AS least, d.number AS greatest,
        CAST(d.number AS DOUBLE) / CAST({{ c.unit | literal }} AS DOUBLE) AS mass
    {% else %}
    CAST(NULL AS {{ c.number | sql_type }}) AS least,
        CAST(NULL AS {{ c.number | sql_type }}) AS greatest, CAST(NULL AS DOUBLE) AS mass
    {% endif %}
FROM hits_{{ c.index | integer }} AS h
{% if c.ordered %}
LEFT JOIN numbers_{{ c.index | integer }} AS d ON d.code = h.code
{% endif %}
{% endif %}
{% if c.held.bucketed %}
{% if c.held.labels %}
UNION ALL
{% endif %}
SELECT
    h.section,
    CAST(s.bucket AS BIGINT) AS value,
    CAST(SUM(s.n) AS DOUBLE) / CAST(MAX(s.size) AS DOUBLE) AS share,
    MIN(s.value) AS least,
    MAX(s.value) AS greatest,
    CAST(SUM(s.n * s.value) AS DOUBLE) / CAST({{ c.unit | literal }} AS DOUBLE)
        / CAST(MAX(s.size) AS DOUBLE) AS mass
FROM hits_{{ c.index | integer }} AS h
JOIN stock_{{ c.index | integer }} AS s ON s.code = h.code
GROUP BY h.section, s.bucket
{% endif %}
{% if c.held.kept or c.held.bucketed %}
UNION ALL
SELECT DISTINCT u.section, CAST(-1 AS BIGINT), CAST(NULL AS DOUBLE),
    CAST(NULL AS {{ c.number | sql_type }}), CAST(NULL AS {{ c.number | sql_type }}),
    CAST(NULL AS DOUBLE)
FROM uses_{{ c.index | integer }} AS u
{% endif %}
