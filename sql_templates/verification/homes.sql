{# Whether the groups that rows come from are those of a generalization: rows of one group have the
   same labels, of two others.
   grain: one row
   in: assigned, dim_<index>, attributes, levels {index: level}
   out: how many groups and combinations of labels do not go together #}
SELECT 2 * COUNT(*) - COUNT(DISTINCT u.home) - (
    SELECT COUNT(*)
    FROM (SELECT DISTINCT {% for a in attributes %}e{{ a.index | integer }}.g{{ levels[a.index] |
        integer }}{% if not loop.last %}, {% endif %}{% endfor %}
          FROM assigned AS q{% for a in attributes %} JOIN dim_{{ a.index | integer
              }} AS e{{ a.index | integer }} ON e{{ a.index | integer }}.code = q.c{{ a.index |
                  integer }}{% endfor %}) AS v
) AS confused
FROM (
    SELECT DISTINCT p.home{% for a in attributes %}, d{{ a.index | integer }}.g{{ levels[a.index] |
        integer }}{% endfor +%}
    FROM assigned AS p
{% for a in attributes %}
    JOIN dim_{{ a.index | integer }} AS d{{ a.index | integer }} ON d{{ a.index | integer
        }}.code = p.c{{ a.index | integer }}
{% endfor %}
) AS u
