{# What each candidate refinement of a part into smaller ones would change, all candidates at once.
   Only the classes in the part are touched, so that candidates of different parts of one attribute
   can be added up.
   grain: one row per node and candidate
   in: coded and classes (tables), refinements(node, attribute, candidate, code, part: the new one,
       gain: what a row no longer loses), attributes, promise, keys (node, attribute, candidate, r1
       … rn, side, lost), measure, rows
   out: (node, attribute, candidate, the part that it refines, change in suppressed rows, change in
       cost) #}
{% from 'methods/refinement/macros.sql' import cost %}
WITH split AS (
{% for a in attributes %}
    SELECT
        t.node,
        # AS attribute,
        k.candidate,
        {{ attributes | each('t.r#,') }}
        k.part AS side,
        t.lost - k.gain AS lost
        {{ promise.extras | each(', t.@') }}
        {{ promise.weights | each(', CAST(SUM(t.@) AS BIGINT) AS @') }}
    FROM (
        SELECT
            s.node,
            s.c# AS code,
            {{ attributes | each('s.r#,') }}
            s.lost
            {{ promise.extras | each(', s.@') }}
            {{ promise.weights | each(', SUM(s.@) AS @') }}
        FROM {{ coded | ident }} AS s
        GROUP BY
            s.node
            , s.c#
            {{ attributes | each(', s.r#') }}
            , s.lost
            {{ promise.extras | each(', s.@') }}
    ) AS t
    JOIN refinements AS k ON k.node = t.node AND k.attribute = #
        AND k.code = t.code
    GROUP BY
        t.node
        , k.candidate
        {{ attributes | each(', t.r#') }}
        , k.part
        , t.lost - k.gain
        {{ promise.extras | each(', t.@') }}
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
),
after AS (
    SELECT
        x.node, x.attribute, x.candidate,
        CASE x.attribute
            {{ attributes | each('WHEN # THEN x.r#') }}
        END AS part,
        SUM(CASE WHEN x.ok THEN 0 ELSE x.n END) AS suppressed,
        SUM({{ cost(measure, rows) }}) AS cost
    FROM (
        {% with table = 'split' %}{% include 'privacy/classes.sql' %}{% endwith +%}
    ) AS x
    GROUP BY
        x.node, x.attribute, x.candidate,
        CASE x.attribute
            {{ attributes | each('WHEN # THEN x.r#') }}
        END
),
before AS (
{% for a in attributes %}
    SELECT
        x.node,
        # AS attribute,
        x.r# AS part,
        SUM(CASE WHEN x.ok THEN 0 ELSE x.n END) AS suppressed,
        SUM({{ cost(measure, rows) }}) AS cost
    FROM {{ classes | ident }} AS x
    GROUP BY x.node, x.r#
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
)
SELECT
    a.node, a.attribute, a.candidate, a.part,
    CAST(a.suppressed - b.suppressed AS BIGINT) AS suppressed,
    CAST(a.cost - b.cost AS BIGINT) AS cost
FROM after AS a
JOIN before AS b ON b.node = a.node AND b.attribute = a.attribute AND b.part = a.part
ORDER BY a.node, a.attribute, a.candidate
