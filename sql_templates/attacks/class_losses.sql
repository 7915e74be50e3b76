{# What each class loses of a row: the share of the other values of a column that its label covers,
   by the weights of columns.
   grain: one row per class
   in: judged_tuple_steps, covers_<facet>, steps, facets [(facet, weight in billionths of a row)]
   out: table attacked_losses(tuple, n: rows, loss: in billionths of a row, s<facet>: values of the
       source that the label covers, size: combinations of these) #}
CREATE TABLE attacked_losses AS
SELECT
    t.p{{ steps | integer }} AS tuple,
    t.n
    {% for facet, weight in facets %}
    , k{{ facet | integer }}.size AS s{{ facet | integer }}
    {% endfor %}
    , {% for facet, weight in facets -%}
    CAST(k{{ facet | integer }}.size AS DOUBLE){% if not loop.last %} * {% endif %}
    {%- endfor %} AS size
    , CAST({% for facet, weight in facets -%}
    FLOOR(
        CAST(k{{ facet | integer }}.size - 1 AS DOUBLE) * {{ weight | integer }}
        / GREATEST(z{{ facet | integer }}.size - 1, 1) + 0.5
    ){% if not loop.last %} + {% endif %}
    {%- endfor %} AS BIGINT) AS loss
FROM judged_tuple_steps AS t
{% for facet, weight in facets %}
JOIN (
    SELECT c.label, COUNT(DISTINCT c.code) AS size
    FROM {{ ('covers_' ~ facet) | ident }} AS c
    GROUP BY c.label
) AS k{{ facet | integer }} ON k{{ facet | integer }}.label = t.v{{ facet | integer }}
CROSS JOIN (
    SELECT COUNT(DISTINCT c.code) AS size FROM {{ ('covers_' ~ facet) | ident }} AS c
) AS z{{ facet | integer }}
{% endfor %}
