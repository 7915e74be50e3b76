{# Which classes keep what the policy promises, for verification alone: what searches judge by a
   statement of its own. Every term is asked by itself for the classes that break it; a class keeps
   the promise when none names it. Groups without a row of the table (known from the population
   alone) are classes only where everybody is owed a least presence.
   grain: one row per class; NULL is a key like another, and no key is called own_…
   in: table (keys, promise.extras, promise.weights), keys (columns that name a class), promise,
       reference_<index> and branches_<index> of the columns that its models are about
   out: a SELECT of (keys, n: rows, ok: whether the class keeps the promise) #}
SELECT {{ keys | idents('k') }}, MAX(k.own_size) AS n, MAX(k.own_fault) = 0 AS ok
FROM (
    SELECT
        {{ keys | idents('t') }},
        CAST(SUM(t.n) AS BIGINT) AS own_size,
        CASE WHEN {% if promise.people %}COUNT(DISTINCT t.{{ ('x' ~ promise.people) | ident }})
            {%- else %}SUM(t.n){% endif %} < {{ promise.k | integer }}
            THEN 1 ELSE 0 END AS own_fault
    FROM {{ table | ident }} AS t
    GROUP BY {{ keys | idents('t') }}
    {% if not promise.of_everybody %}
    HAVING SUM(t.n) > 0
    {% endif %}
    {% for model in promise.models %}
    UNION ALL
    SELECT {{ keys | idents('o') }}, NULL, 1
    FROM (
        {% with mark = '', values = 'verification/values', positions = 'verification/positions' %}
        {% include model.offence +%}
        {% endwith %}
    ) AS o
    {% endfor %}
) AS k
GROUP BY {{ keys | idents('k') }}
