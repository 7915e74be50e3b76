{# How many rows are released as what does not stand for their own value, by attribute
   (see verification/uncovered).
   grain: one row per attribute with such rows
   in: at ('grp': what they are released as; 'home': what the groups that they come from are
       released as, where those still are), what verification/portion_rows takes, groups,
       dim_<index>, forms {index: 'node', 'range' or 'set'}
   out: (attribute, rows) #}
{% from 'verification/macros.sql' import element, listed %}
WITH portions AS (
    {% include 'verification/portion_rows.sql' %}
)
SELECT o.attribute, CAST(SUM(o.n) AS BIGINT) AS changed
FROM (
{% for a in attributes %}
    SELECT # AS attribute, u.n
    FROM (
        SELECT
            p.c# AS code,
            p.n,
            x.v# AS label
            {% if forms[a.index] == 'set' %}
            , {{ listed(['x', 'v' ~ a.index]) }} AS listed
            {% endif %}
            {% if a.bounds_type or forms[a.index] == 'range' %}
            , x.lo# AS lo
            , x.hi# AS hi
            {% endif %}
        FROM (
            SELECT q.c#, q.{{ at | ident }} AS grp, SUM(q.n) AS n
            FROM portions AS q
            GROUP BY q.c#, q.{{ at | ident }}
        ) AS p
        {% if at == 'grp' %}LEFT {% endif %}JOIN groups AS x ON x.grp = p.grp
    ) AS u
    LEFT JOIN (
        SELECT
            l.*,
            {% if forms[a.index] == 'set' %}
            {{ element(['l', 'v' ~ a.min_level]) }} AS element,
            {% endif %}
            ROW_NUMBER() OVER (
                PARTITION BY l.g{{ a.min_level | integer }} ORDER BY l.code NULLS FIRST
            ) AS among_leaves
        FROM dim_# AS l
    ) AS d ON d.g{{ a.min_level | integer }} = u.code AND d.among_leaves = 1
    {% if forms[a.index] == 'range' %}
    LEFT JOIN dim_# AS e ON {% if a.bounds_type %}e.lo0{% else %}e.value{% endif %} = u.lo
    LEFT JOIN dim_# AS f ON {% if a.bounds_type %}f.hi0{% else %}f.value{% endif %} = u.hi
    {% endif %}
    WHERE NOT (
        {% include 'verification/covering.sql' %}
    )
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS o
GROUP BY o.attribute
ORDER BY o.attribute
