{# The source's rows, each with the number of its group: part of a statement.
   in: what release/coded takes, or placed when split, assigned, masked (see release/groups)
   out: the rows as o, what release/coded or placed gives; p.grp, NULL for rows of no group #}
FROM {% if split %}placed{% else %}(
    {% include 'release/coded.sql' %}
){% endif %} AS o
{% if masked %}LEFT {% endif %}JOIN assigned AS p
    ON {{ attributes | each('p.c# = o.c#', ' AND ') }}
    {{ valued | each('AND p.x# = o.x#') }}
{% if split %}
    AND o.place BETWEEN p.first AND p.last
{% endif %}
