{# Groups that have other rows than were counted for them.
   grain: one row
   in: placed, assigned, groups, attributes, valued
   out: how many groups #}
SELECT COUNT(*) AS wrong
FROM groups AS g
LEFT JOIN (
    SELECT p.grp, COUNT(*) AS n
    FROM placed AS o
    JOIN assigned AS p
        ON {% for a in attributes %}p.c{{ a.index | integer }} = o.c{{ a.index | integer }}{% if not
            loop.last %} AND {% endif %}{% endfor +%}
    {% for a in valued %}
        AND p.x{{ a.index | integer }} = o.x{{ a.index | integer }}
    {% endfor %}
        AND p.first <= o.place AND p.last >= o.place
    GROUP BY p.grp
) AS f ON f.grp = g.grp
WHERE g.n <> COALESCE(f.n, 0)
