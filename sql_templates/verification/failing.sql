{# The classes that do not keep a promise: the end of a statement that begins with their values,
   counted.
   grain: one row
   in: combinations (keys, q<index> …, n), whole (a relation: q<index> …, n, whose shares are the
       reference), keys, coded, promise,
       linted (whether the dimension tables of the coded columns are there)
   out: (failing classes, rows in them) #}
{% for a in coded %}
reference_{{ a.index | integer }} AS (
    {% include 'verification/reference.sql' %}
),
{% if a.attribute is not none %}
{% if not linted %}
{% with c = a, a = a.attribute %}
{% if a.leaves %}
leaves_{{ a.index | integer }} AS (
    {% include 'hierarchies/leaves.sql' %}
),
{% endif %}
dim_{{ a.index | integer }} AS (
    {% include 'verification/dimension.sql' %}
),
{% endwith %}
{% endif %}
branches_{{ a.index | integer }} AS (
    {% include 'verification/branches.sql' %}
),
{% endif %}
{% endfor %}
judged AS (
    SELECT
        {{ keys | idents('c') }},
    {% for a in coded %}
        COALESCE(w{{ a.index | integer }}.code, 0) AS x{{ a.index | integer }},
    {% endfor %}
        c.n
    FROM combinations AS c
    {% for a in coded %}
    LEFT JOIN reference_{{ a.index | integer }} AS w{{ a.index | integer }} ON w{{ a.index | integer
        }}.value = c.q{{ a.index | integer }}
    {% endfor %}
)
SELECT COUNT(*) AS classes, CAST(COALESCE(SUM(k.n), 0) AS BIGINT) AS failing
FROM (
    {% with table = 'judged' %}{% include 'verification/keeping.sql' %}{% endwith +%}
) AS k
WHERE NOT k.ok
