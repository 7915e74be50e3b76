{# The classes that cells would lie in at some generalizations. A class is known by its
   generalization and its codes, which are packed into whole numbers.
   grain: one row per cell (and promise.extras) and generalization
   in: table (of cells, see methods/cells/finer/stock), ways (way, l1 … ln), first and last (of the
       ways), words (for every number that codes are packed into, its pairs of an attribute and the
       factor of its code), attributes, promise
   out: table offered(cell, way, k1 … km, loss of a row in billionths, promise.extras,
       promise.weights) #}
{% from 'methods/cells/finer/macros.sql' import at %}
CREATE TABLE offered AS
SELECT
    t.cell,
    w.way,
{% for word in words %}
    {% for a, factor in word %}
    CAST({{ at(a, 'g') }} AS BIGINT) * {{ factor | integer }}
    {% if not loop.last %}+{% endif +%}
    {% endfor %}
    AS {{ ('k' ~ loop.index) | ident }},
{% endfor %}
{% for a in attributes %}
    {{ at(a, 'w') }}
    {% if not loop.last %}+{% endif +%}
{% endfor %}
    AS loss,
    {{ (promise.extras + promise.weights) | idents('t') }}
FROM {{ table | ident }} AS t
CROSS JOIN ways AS w
WHERE w.way BETWEEN {{ first | integer }} AND {{ last | integer }}
