{# The cells by the parts that their codes lie in, for many recodings at once, no finer than any
   candidate asks for.
   grain: one row per node, combination of reachable codes and promise.extras
   in: cells (table: c1 … cn, promise.extras, promise.weights and, when `started`, node), parts
       (table: node, attribute, code, part, lost, reach: the code that stands for all that no
       candidate parts from this one, finest: the loss of those), table, attributes, promise
   out: table <table>(node, c1 … cn, r1 … rn: parts, lost and finest: billionths of a row,
       promise.extras, promise.weights) #}
CREATE TABLE {{ table | ident }} AS
SELECT
    f.node
    {{ attributes | each(', f.c#, f.r#') }}
    , f.lost, f.finest
    {{ promise.extras | each(', f.@') }}
    {{ promise.weights | each(', CAST(SUM(f.@) AS BIGINT) AS @') }}
FROM (
    SELECT
        p{{ attributes[0].index | integer }}.node,
        {{ attributes | each('p#.reach AS c#, p#.part AS r#,') }}
        {{ attributes | each('p#.lost', ' + ') }} AS lost,
        {{ attributes | each('p#.finest', ' + ') }} AS finest,
        {{ (promise.extras + promise.weights) | idents('t') }}
    FROM {{ cells | ident }} AS t
    {% for a in attributes %}
    JOIN {{ parts | ident }} AS p#
        ON p#.attribute = # AND p#.code = t.c#
        {% if not loop.first %}
        AND p#.node = p{{ attributes[0].index | integer }}.node
        {% elif started %}
        AND p#.node = t.node
        {% endif %}
    {% endfor %}
) AS f
GROUP BY
    f.node
    {{ attributes | each(', f.c#, f.r#') }}
    , f.lost, f.finest
    {{ promise.extras | each(', f.@') }}
