{# The one scan of the source, and of the population where there is one.
   grain: one row per distinct combination of quasi-identifying and coded (sensitive, people's)
       values, NULL being a value of its own; combinations of the population apart, without coded
       values
   in: source (relation), population (relation or none), attributes, coded
   out: table combinations(q1 … qn in the source's types, coded ones after, n: rows of the source,
       p: rows of the population where there is one) #}
CREATE TABLE combinations AS
SELECT
    {{ (attributes + coded) | each('@(s) AS q#,') }}
    CAST(COUNT(*) AS BIGINT) AS n
    {% if population %}
    , CAST(0 AS BIGINT) AS p
    {% endif %}
FROM {{ source | ident }} AS s
GROUP BY
    {{ (attributes + coded) | listed('@(s)') }}
{% if population %}
UNION ALL
SELECT
    {{ attributes | each('@(w) AS q#,') }}
    {{ coded | each('NULL AS q#,') }}
    CAST(0 AS BIGINT) AS n,
    CAST(COUNT(*) AS BIGINT) AS p
FROM {{ population | ident }} AS w
GROUP BY
    {{ attributes | listed('@(w)') }}
{% endif %}
