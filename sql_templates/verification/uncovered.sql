{# Released values that do not stand for what they were made from: neither the label of the cell at
   a level that may be released, nor an interval or a set of values that holds it.
   grain: one row per attribute with offenders
   in: table (assigned, or another that says which cell is released as which group), groups,
       dim_<index>, attributes, forms {index: 'node', 'range' or 'set'}, array (whether sets are
       arrays), withheld (indices of attributes of which cells are withheld, code -1, and must have
       no label, or * where they are hidden)
   out: (attribute, how many pairs of a source value and a released one) #}
SELECT o.attribute, COUNT(*) AS pairs
FROM (
{% for a in attributes %}
    {% set label = ('t' if array and forms[a.index] == 'set' else 'v') ~ a.index %}
    {% set bounded = a.bounds_type or forms[a.index] == 'range' %}
    SELECT # AS attribute, d.code
    FROM (
        {# a long label is compared with others once a group, not once a cell: the first group that
           has it stands for it #}
        SELECT
            q.code,
            x.{{ label | ident }} AS label
            {% if bounded %}
            , x.lo# AS lo
            , x.hi# AS hi
            {% endif %}
        FROM (
            SELECT DISTINCT p.c# AS code, k.own_first
            FROM {{ table | ident }} AS p
            LEFT JOIN (
                SELECT
                    l.grp,
                    MIN(l.grp) OVER (
                        PARTITION BY l.{{ label | ident }}{% if bounded %}, l.lo#, l.hi#{% endif +%}
                    ) AS own_first
                FROM groups AS l
            ) AS k ON k.grp = p.grp
        ) AS q
        LEFT JOIN groups AS x ON x.grp = q.own_first
    ) AS u
    LEFT JOIN dim_# AS d ON d.g{{ a.min_level | integer }} = u.code
    {% if forms[a.index] == 'range' %}
    LEFT JOIN dim_# AS e ON {% if a.bounds_type %}e.lo0{% else %}e.value{% endif %} = u.lo
    LEFT JOIN dim_# AS f ON {% if a.bounds_type %}f.hi0{% else %}f.value{% endif %} = u.hi
    {% endif %}
    WHERE
    {% if a.index in withheld %}
        NOT (
            u.code = -1 AND COALESCE(u.label, '*') = '*'
            {% if bounded %}
            AND u.lo IS NULL AND u.hi IS NULL
            {% endif %}
        ) AND
    {% endif %}
        NOT (
        {% include 'verification/covering.sql' %}
        )
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS o
GROUP BY o.attribute
ORDER BY o.attribute
