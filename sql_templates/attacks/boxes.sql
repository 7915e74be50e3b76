{# All combinations of values that the labels of classes cover, of the classes that cover few.
   grain: one row per combination
   in: judged_tuple_steps, attacked_losses, covers_<facet>, steps, facets (numbers), most
       (combinations that the labels of a class cover at most)
   out: table attacked_boxes(v<facet>, n: 1) #}
CREATE TABLE attacked_boxes AS
SELECT DISTINCT
    {% for facet in facets %}
    k{{ facet | integer }}.code AS v{{ facet | integer }},
    {% endfor %}
    CAST(1 AS BIGINT) AS n
FROM judged_tuple_steps AS t
JOIN attacked_losses AS l ON l.tuple = t.p{{ steps | integer }}
{% for facet in facets %}
JOIN {{ ('covers_' ~ facet) | ident }} AS k{{ facet | integer }}
    ON k{{ facet | integer }}.label = t.v{{ facet | integer }}
{% endfor %}
WHERE l.size <= {{ most | literal }}
