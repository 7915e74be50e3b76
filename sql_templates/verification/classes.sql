{# The classes of a release, counted on the release alone. Rows with * in every quasi-identifying
   column are masked (suppressed) and are no class, unless that is how the release generalizes.
   grain: one row
   in: released table, labels (quasi-identifying columns), arrays (whether these are arrays), bounds
       (of them), k, at_risk (the greatest class size that counts as at risk), masks (whether all-*
       rows are masked ones)
   out: rows, classes, least class size, offending classes, offending rows, rows at risk, masked
       rows #}
SELECT
    CAST(COALESCE(SUM(g.size), 0) AS BIGINT) AS total,
    COUNT(*) FILTER (WHERE NOT g.masked) AS classes,
    COALESCE(MIN(g.size) FILTER (WHERE NOT g.masked), 0) AS min_class,
    COUNT(*) FILTER (WHERE g.size < {{ k | integer }}) AS small_classes,
    CAST(COALESCE(SUM(g.size) FILTER (WHERE g.size < {{ k | integer }}), 0) AS BIGINT)
        AS small_rows,
    CAST(
        COALESCE(SUM(g.size) FILTER (WHERE NOT g.masked AND g.size <= {{ at_risk | integer }}), 0)
        AS BIGINT
    ) AS at_risk,
    CAST(COALESCE(SUM(g.size) FILTER (WHERE g.masked), 0) AS BIGINT) AS masked
FROM (
    SELECT
        COUNT(*) AS size,
        {% if masks and labels %}
        {{ labels | each("COALESCE(r.@, '') = '*'", ' AND ') }} AS masked
        {% else %}
        FALSE AS masked
        {% endif %}
    FROM {{ table | ident }} AS r
    GROUP BY
        {{ (labels + bounds) | idents('r') }}
        {% if not arrays %}
        {{ labels | each(', r.@ COLLATE "C"') }}
        {% endif %}
) AS g
