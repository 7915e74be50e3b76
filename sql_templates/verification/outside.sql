{# Released intervals that do not hold what they were made from: the value does not lie between the
   ends in the order of the domain, an end is the value of none of them, or the text is not that of
   the ends, or the bounds are not.
   grain: one row per attribute with offenders
   in: table (see verification/uncovered), groups (with first<i> and last<i>: codes of the ends),
       dim_<index>, attributes
   out: (attribute, how many pairs of a source value and a released one) #}
{% from 'verification/macros.sql' import no_later %}
SELECT o.attribute, COUNT(*) AS pairs
FROM (
{% for a in attributes %}
    SELECT # AS attribute, u.code
    FROM (
        SELECT DISTINCT
            p.c# AS code,
            MAX(CASE WHEN p.c# = x.first# THEN 1 ELSE 0 END)
                OVER (PARTITION BY x.first#, x.last#) AS starts,
            MAX(CASE WHEN p.c# = x.last# THEN 1 ELSE 0 END)
                OVER (PARTITION BY x.first#, x.last#) AS ends,
            x.v# AS label,
            x.first# AS first,
            x.last# AS last
            {% if a.bounds_type %}
            , x.lo# AS lo
            , x.hi# AS hi
            {% endif %}
        FROM {{ table | ident }} AS p
        LEFT JOIN groups AS x ON x.grp = p.grp
    ) AS u
    {% for side, code in [('d', 'code'), ('b', 'first'), ('e', 'last')] %}
    LEFT JOIN dim_# AS {{ side | ident }} ON {{ side | ident }}.code = u.{{ code | ident }}
    {% endfor %}
    WHERE NOT (
        COALESCE({{ no_later(a, 'b', 'd') }}, FALSE)
        AND COALESCE({{ no_later(a, 'd', 'e') }}, FALSE)
        AND CASE
            WHEN u.first = 0 AND u.last = 0 THEN u.label IS NULL
            WHEN u.first = 0 THEN COALESCE(u.label = '*', FALSE)
            WHEN u.starts = 0 OR u.ends = 0 THEN FALSE
            WHEN u.first = u.last THEN COALESCE(u.label = b.v0, FALSE)
            {% if a.sorts %}
            ELSE COALESCE(u.label = '[' || b.v0 || ',' || e.v0 || ']', FALSE)
            {% else %}
            ELSE COALESCE(u.label = b.v0 || ' … ' || e.v0, FALSE)
            {% endif %}
        END
        {% if a.bounds_type %}
        AND CASE
            WHEN u.first = 0 THEN u.lo IS NULL AND u.hi IS NULL
            ELSE COALESCE(u.lo = b.lo0 AND u.hi = e.hi0, FALSE)
        END
        {% endif %}
    )
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS o
GROUP BY o.attribute
ORDER BY o.attribute
