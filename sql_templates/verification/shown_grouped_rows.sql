{# The rows that are to be released by groups, by name, as they are released, with the values that
   promises are about. A row of no group is not released.
   grain: one row per row
   in: what verification/coded takes (judged: the key, as q0, and the coded columns), assigned(c1 …
       cn, x<index> of the valued, grp), shown_groups, coded, ledger_secret, hash (the engine's
       template of a keyed hash)
   out: table shown_rows(h, t<index>: the number of the label, y<n>: the value, hashed) #}
CREATE TABLE shown_rows AS
SELECT
    {{ attributes | each('s.t#,') }}
    {% for a in coded %}
    {% with hashed = ['s', 'w' ~ a.index] %}{% include hash ~ '.sql' %}{% endwith %}
        AS {{ ('y' ~ loop.index) | ident }},
    {% endfor %}
    {% with hashed = ['s', 'w0'] %}{% include hash ~ '.sql' %}{% endwith %} AS h
FROM (
    SELECT {{ attributes | each('g.t#,') }} {{ judged | listed('CAST(r.q# AS VARCHAR) AS w#') }}
    FROM (
        {% with released = () %}{% include 'verification/coded.sql' %}{% endwith +%}
    ) AS r
    JOIN assigned AS p
        ON {{ attributes | each('p.c# = r.c#', ' AND ') }}
        {{ valued | each('AND p.x# = r.x#') }}
    JOIN shown_groups AS g ON g.grp = p.grp
) AS s
