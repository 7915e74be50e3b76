{# Groups of a generalization that are suppressed.
   grain: one row
   in: cells, assigned, dim_<index>, attributes, levels {index: level}
   out: how many #}
SELECT COUNT(*) AS suppressed
FROM (
    SELECT DISTINCT {% for a in attributes %}d{{ a.index | integer }}.g{{ levels[a.index] | integer
        }}{% if not loop.last %}, {% endif %}{% endfor +%}
    FROM cells AS t
{% for a in attributes %}
    JOIN dim_{{ a.index | integer }} AS d{{ a.index | integer }} ON d{{ a.index | integer
        }}.code = t.c{{ a.index | integer }}
{% endfor %}
    LEFT JOIN assigned AS p
        ON {% for a in attributes %}p.c{{ a.index | integer }} = t.c{{ a.index | integer }}{% if not
            loop.last %} AND {% endif %}{% endfor +%}
    WHERE p.grp IS NULL
) AS u
