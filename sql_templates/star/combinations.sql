{# The one scan of the source.
   grain: one row per distinct combination of quasi-identifying values, NULL being a value of its own
   in: source (relation), attributes
   out: table combinations(q1 … qn in the source's types, n) #}
CREATE TABLE combinations AS
SELECT
{% for a in attributes %}
    {% with side = 's' %}{% include 'star/value.sql' %}{% endwith %} AS q{{ a.index | integer }},
{% endfor %}
    CAST(COUNT(*) AS BIGINT) AS n
FROM {{ source | ident }} AS s
GROUP BY
{% for a in attributes %}
    {% with side = 's' %}{% include 'star/value.sql' %}{% endwith %}{% if not loop.last %},{% endif +%}
{% endfor %}
