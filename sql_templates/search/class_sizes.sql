{# The verdict on many nodes at once. Classes that do not keep the promise are suppressed and are no
   classes of the release. With a least presence nothing may be suppressed: groups of the population
   without a row count as one each.
   grain: one row per node
   in: what search/rolled_up takes, or counted: a table of frequency sets; names (node and the keys
       of a class), promise, units (of attributes, whose losses are asked for, with unit_losses and
       requests(node, u<unit>: the node's levels)) or none;
       LEFT JOIN, though every path is there, so that no planner joins requests with them first
   out: (node, groups, smallest group, released classes, smallest released class, suppressed rows,
       sum of squared released class sizes, sum of loss over suppressed rows: 0 without units) #}
{% if not counted or units %}
WITH
{% endif %}
{% if not counted %}
{% set counted = 'rolled' %}
rolled AS (
    {% include 'search/rolled_up.sql' %}
){% if units %},{% endif +%}
{% endif %}
{% if units %}
judged AS (
    {% with table = counted, keys = names %}{% include 'privacy/classes.sql' %}{% endwith +%}
),
lost AS (
    SELECT x.node, SUM(x.n * ({{ units | each('t#.loss', ' + ') }})) AS loss
    FROM judged AS x
    JOIN {{ requests | ident }} AS r ON r.node = x.node
    {% for unit in units %}
    LEFT JOIN unit_losses AS {{ unit | sql('t#') }}
        ON {{ unit | sql('t#.unit = # AND t#.levels = r.u#') }}
        {% for key, mask in unit.masks %}
        AND {{ unit | sql('t#') }}.{{ key | ident }}
            = x.{{ key | ident }} & CAST({{ mask | integer }} AS BIGINT)
        {% endfor %}
    {% endfor %}
    WHERE NOT x.ok
    GROUP BY x.node
)
{% endif %}
SELECT
    s.*,
    {% if units %}COALESCE(l.loss, 0){% else %}0{% endif %} AS loss
FROM (
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
FROM
{% if units %}
    judged
{% else %}
(
    {% with table = counted, keys = names %}{% include 'privacy/classes.sql' %}{% endwith +%}
)
{% endif %}
AS x
GROUP BY x.node
) AS s
{% if units %}
LEFT JOIN lost AS l ON l.node = s.node
{% endif %}
ORDER BY s.node
