{# What each candidate refinement of a part into smaller ones would change, all candidates at once. Only the classes in
   the part are touched, so that candidates of different parts of one attribute can be added up.
   grain: one row per node and candidate
   in: coded and classes (tables), refinements(node, attribute, candidate, code, part: the new one, gain: what a row no longer
       loses), attributes, promise, keys (node, attribute, candidate, r1 … rn, side, lost), measure, rows
   out: (node, attribute, candidate, the part that it refines, change in suppressed rows, change in cost) #}
WITH split AS (
{% for i in attributes %}
    SELECT
        t.node,
        {{ i.index | integer }} AS attribute,
        k.candidate,
    {% for a in attributes %}
        t.r{{ a.index | integer }},
    {% endfor %}
        k.part AS side,
        t.lost - k.gain AS lost
    {% for extra in promise.extras %}
        , t.{{ extra | ident }}
    {% endfor %}
    {% for weight in promise.weights %}
        , CAST(SUM(t.{{ weight | ident }}) AS BIGINT) AS {{ weight | ident }}
    {% endfor %}
    FROM (
        SELECT
            s.node,
            s.c{{ i.index | integer }} AS code,
        {% for a in attributes %}
            s.r{{ a.index | integer }},
        {% endfor %}
            s.lost
        {% for extra in promise.extras %}
            , s.{{ extra | ident }}
        {% endfor %}
        {% for weight in promise.weights %}
            , SUM(s.{{ weight | ident }}) AS {{ weight | ident }}
        {% endfor %}
        FROM {{ coded | ident }} AS s
        GROUP BY
            s.node
            , s.c{{ i.index | integer }}
        {% for a in attributes %}
            , s.r{{ a.index | integer }}
        {% endfor %}
            , s.lost
        {% for extra in promise.extras %}
            , s.{{ extra | ident }}
        {% endfor %}
    ) AS t
    JOIN refinements AS k ON k.node = t.node AND k.attribute = {{ i.index | integer }} AND k.code = t.code
    GROUP BY
        t.node
        , k.candidate
    {% for a in attributes %}
        , t.r{{ a.index | integer }}
    {% endfor %}
        , k.part
        , t.lost - k.gain
    {% for extra in promise.extras %}
        , t.{{ extra | ident }}
    {% endfor %}
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
),
after AS (
    SELECT
        x.node,
        x.attribute,
        x.candidate,
        CASE x.attribute
        {% for a in attributes %}
            WHEN {{ a.index | integer }} THEN x.r{{ a.index | integer }}
        {% endfor %}
        END AS part,
        SUM(CASE WHEN x.ok THEN 0 ELSE x.n END) AS suppressed,
        SUM({% include 'single/cost.sql' %}) AS cost
    FROM (
        {% with table = 'split' %}{% include 'models/classes.sql' %}{% endwith +%}
    ) AS x
    GROUP BY
        x.node,
        x.attribute,
        x.candidate,
        CASE x.attribute
        {% for a in attributes %}
            WHEN {{ a.index | integer }} THEN x.r{{ a.index | integer }}
        {% endfor %}
        END
),
before AS (
{% for a in attributes %}
    SELECT
        x.node,
        {{ a.index | integer }} AS attribute,
        x.r{{ a.index | integer }} AS part,
        SUM(CASE WHEN x.ok THEN 0 ELSE x.n END) AS suppressed,
        SUM({% include 'single/cost.sql' %}) AS cost
    FROM {{ classes | ident }} AS x
    GROUP BY x.node, x.r{{ a.index | integer }}
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
)
SELECT
    a.node,
    a.attribute,
    a.candidate,
    a.part,
    CAST(a.suppressed - b.suppressed AS BIGINT) AS suppressed,
    CAST(a.cost - b.cost AS BIGINT) AS cost
FROM after AS a
JOIN before AS b ON b.node = a.node AND b.attribute = a.attribute AND b.part = a.part
ORDER BY a.node, a.attribute, a.candidate
