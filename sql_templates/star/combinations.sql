{# The one scan of the source, and of the population where there is one.
   grain: one row per distinct combination of quasi-identifying and coded (sensitive, people's) values, NULL being a value
       of its own; combinations of the population apart, without coded values
   in: source (relation), population (relation or none), attributes, coded
   out: table combinations(q1 … qn in the source's types, coded ones after, n: rows of the source, p: rows of the
       population where there is one) #}
CREATE TABLE combinations AS
SELECT
{% for a in attributes + coded %}
    {% with side = 's' %}{% include 'star/value.sql' %}{% endwith %} AS q{{ a.index | integer }},
{% endfor %}
    CAST(COUNT(*) AS BIGINT) AS n{% if population %},
    CAST(0 AS BIGINT) AS p{% endif +%}
FROM {{ source | ident }} AS s
GROUP BY
{% for a in attributes + coded %}
    {% with side = 's' %}{% include 'star/value.sql' %}{% endwith %}{% if not loop.last %},{% endif +%}
{% endfor %}
{% if population %}
UNION ALL
SELECT
{% for a in attributes %}
    {% with side = 'w' %}{% include 'star/value.sql' %}{% endwith %} AS q{{ a.index | integer }},
{% endfor %}
    {{ coded | each('NULL AS q#,') }}
    CAST(0 AS BIGINT) AS n,
    CAST(COUNT(*) AS BIGINT) AS p
FROM {{ population | ident }} AS w
GROUP BY
{% for a in attributes %}
    {% with side = 'w' %}{% include 'star/value.sql' %}{% endwith %}{% if not loop.last %},{% endif +%}
{% endfor %}
{% endif %}
