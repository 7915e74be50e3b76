{# What may be known of fewer than k people, since others are suppressed who had it.
   grain: one row per combination
   in: counts, less (tables of what all people have, and of what those have who are suppressed, see
       relational/census/counts), kinds, k
   out: a SELECT of (own, kinds) #}
SELECT l.own, {{ kinds | idents('l') }}
FROM (
    SELECT u.own, {{ kinds | idents('u') }}, SUM(u.n) AS n
    FROM (
    {% for table in less %}
        SELECT t.own, {{ kinds | idents('t') }}, t.n FROM {{ table | ident }} AS t
        {% if not loop.last %}UNION ALL{% endif +%}
    {% endfor %}
    ) AS u
    GROUP BY u.own, {{ kinds | idents('u') }}
) AS l
JOIN (
{% for table in counts %}
    SELECT t.own, {{ kinds | idents('t') }}, t.n FROM {{ table | ident }} AS t
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS c ON c.own = l.own {{ kinds | each('AND c.@ = l.@') }}
WHERE c.n > l.n AND c.n < l.n + {{ k | integer }}
