{# Which groups are released as the same of each attribute: the first of them stands for all. A
   group without label, and one whose label has other bounds elsewhere, stands for itself.
   grain: one row per group
   in: groups, attributes, forms {index: 'node', 'range' or 'set'}, array (whether sets are arrays)
   out: table labelled(grp, l1 … ln: numbers of groups) #}
CREATE TABLE labelled AS
SELECT
    g.grp
    {{ attributes | each(', CASE WHEN k#.alike = 1 THEN k#.first ELSE g.grp END AS l#') }}
FROM groups AS g
{% for a in attributes %}
{% set label = ('t' if array and forms[a.index] == 'set' else 'v') ~ a.index %}
LEFT JOIN (
    SELECT
        x.{{ label | ident }} AS label,
        MIN(x.grp) AS first,
        {% if a.bounds_type or forms[a.index] == 'range' %}
        CASE
            WHEN COUNT(x.lo#) IN (0, COUNT(*)) AND COUNT(x.hi#) IN (0, COUNT(*))
                AND COALESCE(MIN(x.lo#) = MAX(x.lo#), TRUE)
                AND COALESCE(MIN(x.hi#) = MAX(x.hi#), TRUE)
            THEN 1
            ELSE 0
        END AS alike
        {% else %}
        1 AS alike
        {% endif %}
    FROM groups AS x
    GROUP BY x.{{ label | ident }}
) AS k# ON k#.label = {{ ['g', label] | ident }}
{% endfor %}
