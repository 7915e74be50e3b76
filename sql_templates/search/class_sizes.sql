{# The verdict on many nodes at once. Classes that do not keep the promise are suppressed and are no
   classes of the release. With a least presence nothing may be suppressed: groups of the population
   without a row count as one each.
   grain: one row per node
   in: what search/rolled_up takes, or counted: a table of frequency sets; names (node and the keys
       of a class), promise
   out: (node, groups, smallest group, released classes, smallest released class, suppressed rows,
       sum of squared released class sizes) #}
{% if not counted %}
{% set counted = 'rolled' %}
WITH rolled AS (
    {% include 'search/rolled_up.sql' %}
)
{% endif %}
SELECT
    x.node,
    COUNT(*) AS groups,
    MIN(x.n) AS smallest,
    COUNT(*) FILTER (WHERE x.ok) AS classes,
    COALESCE(MIN(x.n) FILTER (WHERE x.ok), 0) AS min_class,
    {% if promise.of_everybody %}
    CAST(COALESCE(SUM(GREATEST(x.n, 1)) FILTER (WHERE NOT x.ok), 0) AS BIGINT) AS suppressed,
    {% else %}
    CAST(COALESCE(SUM(x.n) FILTER (WHERE NOT x.ok), 0) AS BIGINT) AS suppressed,
    {% endif %}
    CAST(COALESCE(SUM(x.n * x.n) FILTER (WHERE x.ok), 0) AS BIGINT) AS squares
FROM (
    {% with table = counted, keys = names %}{% include 'star/models/classes.sql' %}{% endwith +%}
) AS x
GROUP BY x.node
ORDER BY x.node
