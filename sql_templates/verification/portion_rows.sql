{# The cells that are assigned, or the portions of them, with their rows.
   in: assigned, cells (where the cells are not divided), attributes, valued (coded columns that
       assigned has, too), split
   out: a relation (c1 … cn, grp, home, n) #}
{% if split %}
SELECT {{ attributes | each('p.c#, ') }}p.grp, p.home, p.last - p.first + 1 AS n
FROM assigned AS p
{% else %}
SELECT {{ attributes | each('p.c#, ') }}p.grp, p.home, c.n
FROM assigned AS p
JOIN cells AS c
    ON {{ attributes | each('c.c# = p.c#', ' AND ') }}
    {{ valued | each('AND c.x# = p.x#') }}
{% endif %}
