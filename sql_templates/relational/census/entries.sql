{# What may be known of the rows of a table, or of people, by what the rows that refer to them
   offer: themselves, and what may be known of them.
   grain: one row per row or person and kind; of people one besides, of nothing known
   in: number (of the table, 1: of people), below (the tables that refer to it: number, offering:
       tables of what may be known of their rows: entries and joined of these), count (of all
       tables), most (how many rows may be known), standing_<number>, standing_1
   out: a SELECT of (holder, own: class of the person, of people alone, t: the kind, w: how many
        rows are known by it, n: how many rows offer it, lo, hi: the first and the last of them; the
        last only where three may be known) #}
{% if below %}
SELECT
    g.holder,
    {% if number == 1 %}o.class AS own,{% endif +%}
    g.t, g.w, g.n, g.lo{% if most > 2 %}, g.hi{% endif +%}
FROM (
    SELECT u.holder, u.t, u.w, COUNT(*) AS n, MIN(u.child) AS lo
        {% if most > 2 %}, MAX(u.child) AS hi{% endif +%}
    FROM (
    {% for lower in below %}
        {% set child = lower.number %}
        SELECT r.parent AS holder,
            r.id * {{ count | integer }} + {{ child | integer }} AS child,
            r.class * {{ count | integer }} + {{ child | integer }} AS t, 1 AS w
        FROM {{ ('standing_' ~ child) | ident }} AS r
        {% for name in lower.offering %}
        UNION ALL
        SELECT r.parent, r.id * {{ count | integer }} + {{ child | integer }}, e.t, e.w
        FROM {{ name | ident }} AS e
        JOIN {{ ('standing_' ~ child) | ident }} AS r ON r.id = e.holder
        {% endfor %}
        {% if not loop.last %}UNION ALL{% endif +%}
    {% endfor %}
    ) AS u
    GROUP BY u.holder, u.t, u.w
) AS g
{% if number == 1 %}JOIN standing_1 AS o ON o.id = g.holder{% endif +%}
{% endif %}
{% if number == 1 %}
{% if below %}UNION ALL{% endif +%}
SELECT p.id AS holder, p.class AS own, 0 AS t, 0 AS w, 1 AS n, p.id AS lo
    {% if most > 2 %}, p.id AS hi{% endif +%}
FROM standing_1 AS p
{% endif %}
