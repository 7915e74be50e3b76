{# Released values that do not stand for what they were made from: neither the label of the cell at
   a level that may be
   released, nor an interval or a set of values that holds it.
   grain: one row per attribute with offenders
   in: table (assigned, or another that says which cell is released as which group), groups,
       dim_<index>, attributes, forms {index: 'node', 'range' or 'set'}, array (whether sets are
       arrays), withheld (indices of attributes
       of which cells are withheld, code -1, and must have no label, or * where they are hidden)
   out: (attribute, how many pairs of a source value and a released one) #}
SELECT o.attribute, COUNT(*) AS pairs
FROM (
{% for a in attributes %}
{% set i = a.index %}
    SELECT {{ i | integer }} AS attribute, d.code
    FROM (
        {# a long label is compared with others once a group, not once a cell: the first group that has it stands for it #}
        SELECT q.code, x.{{ (('t' if array and forms[i] == 'set' else 'v') ~ i) | ident
            }} AS label{% if a.bounds_type or forms[i] == 'range' %}, x.lo{{ i | integer
                }} AS lo, x.hi{{ i | integer }} AS hi{% endif +%}
        FROM (
            SELECT DISTINCT p.c{{ i | integer }} AS code, k.own_first
            FROM {{ table | ident }} AS p
            LEFT JOIN (
                SELECT l.grp, MIN(l.grp) OVER (PARTITION BY l.{{ (('t' if array and forms[i] ==
                    'set' else 'v') ~ i) | ident }}{% if a.bounds_type or forms[i] == 'range'
                        %}, l.lo{{ i | integer }}, l.hi{{ i | integer }}{% endif %}) AS own_first
                FROM groups AS l
            ) AS k ON k.grp = p.grp
        ) AS q
        LEFT JOIN groups AS x ON x.grp = q.own_first
    ) AS u
    LEFT JOIN dim_{{ i | integer }} AS d ON d.g{{ a.min_level | integer }} = u.code
    {% if forms[i] == 'range' %}
    LEFT JOIN dim_{{ i | integer }} AS e ON {% if a.bounds_type %}e.lo0{% else %}e.value{% endif
        %} = u.lo
    LEFT JOIN dim_{{ i | integer }} AS f ON {% if a.bounds_type %}f.hi0{% else %}f.value{% endif
        %} = u.hi
    {% endif %}
    WHERE {% if i in withheld %}NOT (u.code = -1 AND COALESCE(u.label, '*') = '*'{% if a.bounds_type
        or forms[i] == 'range' %} AND u.lo IS NULL AND u.hi IS NULL{% endif %}) AND {% endif %}NOT (
        {% include 'verification/covering.sql' %}
    )
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS o
GROUP BY o.attribute
ORDER BY o.attribute
