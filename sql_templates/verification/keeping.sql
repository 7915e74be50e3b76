{# Which classes keep what the policy promises, for verification alone: what searches judges by a
   statement of its own. Every
   model is asked by itself for the classes that break it; a class keeps the promise when none names
   it. Groups without a row
   of the table (known from the population alone) are classes only where everybody is owed a least
   presence.
   grain: one row per class; NULL is a key like another, and no key is called own_…
   in: table (keys, promise.extras, promise.weights), keys (columns that name a class), promise,
       reference_<index> and branches_<index> of the columns that its models are about
   out: a SELECT of (keys, n: rows, ok: whether the class keeps the promise) #}
SELECT {{ keys | idents('k') }}, MAX(k.own_size) AS n, MAX(k.own_fault) = 0 AS ok
FROM (
    SELECT
        {{ keys | idents('t') }},
        CAST(SUM(t.n) AS BIGINT) AS own_size,
        CASE WHEN {% if promise.people %}COUNT(DISTINCT t.{{ ('x' ~ promise.people) | ident
            }}){% else %}SUM(t.n){% endif %} < {{ promise.k | integer
                }} THEN 1 ELSE 0 END AS own_fault
    FROM {{ table | ident }} AS t
    GROUP BY {{ keys | idents('t') }}
    {% if not promise.of_everybody %}
    HAVING SUM(t.n) > 0
    {% endif %}
    {% for model in promise.models %}
    UNION ALL
    {% if model.kind == 'distinct' %}
    SELECT {{ keys | idents('t') }}, NULL, 1
    FROM {{ table | ident }} AS t
    WHERE t.n > 0
    GROUP BY {{ keys | idents('t') }}
    HAVING COUNT(DISTINCT t.{{ ('x' ~ model.index) | ident }}) < {{ model.bound | number }}
    {% elif model.kind in ('k_map', 'presence') %}
    SELECT {{ keys | idents('t') }}, NULL, 1
    FROM {{ table | ident }} AS t
    GROUP BY {{ keys | idents('t') }}
    HAVING {% if not promise.of_everybody %}SUM(t.n) > 0 AND {% endif %}({% if model.kind == 'k_map'
        %}
        SUM(t.p) < {{ model.bound | number }}{% else %}
        CAST(SUM(t.n) AS BIGINT) > {{ model.bound | number }} * CAST(SUM(t.p) AS BIGINT)
        OR CAST(SUM(t.n) AS BIGINT) < {{ model.other | number }} * CAST(SUM(t.p) AS BIGINT){% endif
            %})
    {% elif model.kind in ('range', 'span') %}
    SELECT {{ keys | idents('t') }}, NULL, 1
    FROM {{ table | ident }} AS t
    JOIN {{ ('reference_' ~ model.index) | ident }} AS r ON r.code = t.{{ ('x' ~ model.index) |
        ident }}
    WHERE t.n > 0
    GROUP BY {{ keys | idents('t') }}
    HAVING NOT COALESCE(MAX(r.x) - MIN(r.x) >= {{ (model.bound * (1 - promise.tolerance)) | number
        }}{% if model.kind == 'range' %} * MAX(r.width){% endif %}, FALSE)
    {% elif model.kind == 'ordered' %}
    {% include 'verification/far_in_order.sql' %}
    {% elif model.kind == 'hierarchical' %}
    {% include 'verification/far_in_hierarchy.sql' %}
    {% else %}
    {% include 'verification/far_by_shares.sql' %}
    {% endif %}
    {% endfor %}
) AS k
GROUP BY {{ keys | idents('k') }}
