{# The cells by the parts that their codes lie in, for many recodings at once, no finer than any candidate asks for.
   grain: one row per node, combination of reachable codes and promise.extras
   in: cells (table: c1 … cn, promise.extras, promise.weights and, when `started`, node), parts (table: node, attribute,
       code, part, lost, reach: the code that stands for all that no candidate parts from this one, finest: the loss of
       those), table, attributes, promise
   out: table <table>(node, c1 … cn, r1 … rn: parts, lost and finest: billionths of a row, promise.extras, promise.weights) #}
CREATE TABLE {{ table | ident }} AS
SELECT
    f.node
{% for a in attributes %}
    , f.c{{ a.index | integer }}
    , f.r{{ a.index | integer }}
{% endfor %}
    , f.lost
    , f.finest
{% for extra in promise.extras %}
    , f.{{ extra | ident }}
{% endfor %}
{% for weight in promise.weights %}
    , CAST(SUM(f.{{ weight | ident }}) AS BIGINT) AS {{ weight | ident }}
{% endfor %}
FROM (
    SELECT
        p{{ attributes[0].index | integer }}.node,
    {% for a in attributes %}
        p{{ a.index | integer }}.reach AS c{{ a.index | integer }},
        p{{ a.index | integer }}.part AS r{{ a.index | integer }},
    {% endfor %}
        {% for a in attributes %}p{{ a.index | integer }}.lost{% if not loop.last %} + {% endif %}{% endfor %} AS lost,
        {% for a in attributes %}p{{ a.index | integer }}.finest{% if not loop.last %} + {% endif %}{% endfor %} AS finest,
        {{ (promise.extras + promise.weights) | idents('t') }}
    FROM {{ cells | ident }} AS t
    {% for a in attributes %}
    JOIN {{ parts | ident }} AS p{{ a.index | integer }}
        ON p{{ a.index | integer }}.attribute = {{ a.index | integer }} AND p{{ a.index | integer }}.code = t.c{{ a.index | integer }}
        {% if not loop.first %}AND p{{ a.index | integer }}.node = p{{ attributes[0].index | integer }}.node{% elif started %}AND p{{ a.index | integer }}.node = t.node{% endif +%}
    {% endfor %}
) AS f
GROUP BY
    f.node
{% for a in attributes %}
    , f.c{{ a.index | integer }}
    , f.r{{ a.index | integer }}
{% endfor %}
    , f.lost
    , f.finest
{% for extra in promise.extras %}
    , f.{{ extra | ident }}
{% endfor %}
