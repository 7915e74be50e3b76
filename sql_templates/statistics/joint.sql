{# The cells of all dimensions of a circle of tables that may be anybody's: combinations of which every
   margin in its tables is a cell.
   grain: one row per combination
   in: cells, joint (a table: c<index>, and what is counted of every combination that somebody is in), vectors
       (of every table the number of that of the levels that link it), shared (of every table the
       dimensions that tables before have, with the position of the first), first (the same of all
       dimensions), sums
   out: of every table the number of its cell; people, n, m<index> #}
SELECT
{% for vector in vectors %}
    {{ ['e' ~ loop.index, 'cell'] | ident }} AS {{ ('margin_' ~ loop.index) | ident }},
{% endfor %}
    CAST(COALESCE(j.people, 0) AS BIGINT) AS people,
    {{ sums | each('CAST(COALESCE(j.m#, 0) AS BIGINT) AS m#,') }}
    CAST(COALESCE(j.n, 0) AS BIGINT) AS n
FROM cells AS e1
{% for vector in vectors[1:] %}
{% set own = 'e' ~ (loop.index + 1) %}
JOIN cells AS {{ own | ident }}
    ON {{ [own, 'v'] | ident }} = {{ vector | integer }}
    {% for index, position in shared[loop.index].items() %}
    AND {{ [own, 'c' ~ index] | ident }} = {{ ['e' ~ position, 'c' ~ index] | ident }}
    {% endfor %}
{% endfor %}
LEFT JOIN {{ joint | ident }} AS j
{% for index, position in first.items() %}
    {% if loop.first %}ON{% else %}AND{% endif %} {{ ['j', 'c' ~ index] | ident }} = {{ ['e' ~ position, 'c' ~ index] | ident }}
{% endfor %}
WHERE e1.v = {{ vectors[0] | integer }}
ORDER BY {% for vector in vectors %}{{ ('margin_' ~ loop.index) | ident }}{% if not loop.last %}, {% endif %}{% endfor %}

