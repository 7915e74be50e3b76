{# Released values that do not stand for what they were made from: neither the label of the cell at
   a level that may be released, nor an interval or a set of values that holds it. What several
   groups are released as is looked at once.
   grain: one row per attribute with offenders
   in: table (assigned, or another that says which cell is released as which group), linked (whether
       it has l<i>, see verification/labelled), labelled, groups, dim_<index>, attributes,
       forms {index: 'node', 'range' or 'set'}, array (whether sets are arrays), withheld (indices
       of attributes of which cells are withheld, code -1, and must have no label, or * where they
       are hidden)
   out: (attribute, how many pairs of a source value and a released one) #}
{% from 'verification/macros.sql' import element, listed %}
SELECT o.attribute, COUNT(*) AS pairs
FROM (
{% for a in attributes %}
    {% set label = ('t' if array and forms[a.index] == 'set' else 'v') ~ a.index %}
    {% set bounded = a.bounds_type or forms[a.index] == 'range' %}
    SELECT # AS attribute, d.code
    FROM (
        {% if linked %}
        SELECT DISTINCT p.c# AS code, p.l# AS grp
        FROM {{ table | ident }} AS p
        {% else %}
        SELECT DISTINCT p.c# AS code, k.l# AS grp
        FROM {{ table | ident }} AS p
        LEFT JOIN labelled AS k ON k.grp = p.grp
        {% endif %}
    ) AS q
    LEFT JOIN (
        SELECT
            x.grp,
            x.{{ label | ident }} AS label
            {% if bounded %}
            , x.lo# AS lo
            , x.hi# AS hi
            {% endif %}
            {% if forms[a.index] == 'set' %}
            , {{ listed(['x', label]) }} AS listed
            {% endif %}
        FROM groups AS x
    ) AS u ON u.grp = q.grp
    LEFT JOIN (
        SELECT
            y.*
            {% if forms[a.index] == 'set' %}
            , {{ element(['y', 'v' ~ a.min_level]) }} AS element
            {% endif %}
        FROM dim_# AS y
    ) AS d ON d.g{{ a.min_level | integer }} = q.code
    {% if forms[a.index] == 'range' %}
    LEFT JOIN dim_# AS e ON {% if a.bounds_type %}e.lo0{% else %}e.value{% endif %} = u.lo
    LEFT JOIN dim_# AS f ON {% if a.bounds_type %}f.hi0{% else %}f.value{% endif %} = u.hi
    {% endif %}
    WHERE
    {% if a.index in withheld %}
        NOT (
            q.code = -1 AND COALESCE(u.label, '*') = '*'
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
