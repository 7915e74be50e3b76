{# Released classes whose rows do not share one mean or median, or have one outside their bounds.
   grain: one row
   in: table, name (the column of means or medians), keys (the labels and bounds that define the
       classes), ends (the two bounds of the column it is of; empty where there are none)
   out: how many #}
SELECT COUNT(*) AS classes
FROM (
    SELECT 1 AS wrong
    FROM {{ table | ident }} AS p
    GROUP BY
    {% for key in keys %}
        p.{{ key | ident }}{% if not loop.last %},{% endif +%}
    {% endfor %}
    HAVING MIN(p.{{ name | ident }}) < MAX(p.{{ name | ident }})
        OR COUNT(p.{{ name | ident }}) NOT IN (0, COUNT(*))
    {% if ends %}
        OR MIN(p.{{ name | ident }})
            < MIN(CAST(p.{{ ends[0] | ident }} AS DOUBLE))
                - 1e-12 * ABS(MIN(CAST(p.{{ ends[0] | ident }} AS DOUBLE)))
        OR MAX(p.{{ name | ident }})
            > MAX(CAST(p.{{ ends[1] | ident }} AS DOUBLE))
                + 1e-12 * ABS(MAX(CAST(p.{{ ends[1] | ident }} AS DOUBLE)))
    {% endif %}
) AS w
