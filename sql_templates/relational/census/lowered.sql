{# What may be known of fewer than k people, since others are suppressed who had it.
   grain: one row per combination
   in: counts, less (tables of what all people have, and of what those have who are suppressed, see
       relational/census/counts), k
   out: a SELECT of (own, t1, t2, t3) #}
SELECT l.own, l.t1, l.t2, l.t3
FROM (
    SELECT u.own, u.t1, u.t2, u.t3, SUM(u.n) AS n
    FROM (
    {% for table in less %}
        SELECT t.own, t.t1, t.t2, t.t3, t.n FROM {{ table | ident }} AS t
        {% if not loop.last %}UNION ALL{% endif +%}
    {% endfor %}
    ) AS u
    GROUP BY u.own, u.t1, u.t2, u.t3
) AS l
JOIN (
{% for table in counts %}
    SELECT t.own, t.t1, t.t2, t.t3, t.n FROM {{ table | ident }} AS t
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS c ON c.own = l.own AND c.t1 = l.t1 AND c.t2 = l.t2 AND c.t3 = l.t3
WHERE c.n > l.n AND c.n < l.n + {{ k | integer }}
