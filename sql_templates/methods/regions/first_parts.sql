{# The regions to begin with: the classes at the highest levels that keep the promise. The rows of
   the other classes are suppressed.
   grain: one row per region
   in: tops, keys (g1 … gn, and x<index> of promise.within), table ('tops'), attributes, promise
   out: table parts_0(part: the region's number, n: rows, l1 … ln levels, g1 … gn group codes,
       x<index> of promise.within) #}
CREATE TABLE parts_0 AS
SELECT
    ROW_NUMBER() OVER (ORDER BY {{ keys | listed('x.@ NULLS FIRST') }}) AS part,
    x.n
{% for a in attributes %}
    , {{ a.max_level | integer }} AS l#
{% endfor %}
    {{ attributes | each(', x.g#') }}
    {{ promise.within | each(', x.x#') }}
FROM (
    {% include 'privacy/classes.sql' %}
) AS x
WHERE x.ok
