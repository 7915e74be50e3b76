{# The cells that are assigned, or the portions of them, with their rows.
   in: assigned, cells (where the cells are not divided), attributes, valued (coded columns that
       assigned has, too), split
   out: a relation (c1 … cn, grp, home, n) #}
{% if split %}
SELECT {% for a in attributes %}p.c{{ a.index | integer }}, {% endfor
    %}p.grp, p.home, p.last - p.first + 1 AS n
FROM assigned AS p
{% else %}
SELECT {% for a in attributes %}p.c{{ a.index | integer }}, {% endfor %}p.grp, p.home, c.n
FROM assigned AS p
JOIN cells AS c
    ON {% for a in attributes %}c.c{{ a.index | integer }} = p.c{{ a.index | integer }}{% if not
        loop.last %} AND {% endif %}{% endfor +%}
    {% for a in valued %}
    AND c.x{{ a.index | integer }} = p.x{{ a.index | integer }}
    {% endfor %}
{% endif %}
