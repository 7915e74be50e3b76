{# The classes that do not keep a promise: the end of a statement that begins with their values, counted. What the values' shares
   are in all classes is the reference.
   grain: one row
   in: combinations (keys, q<index> …, n), keys, coded, promise
   out: (failing classes, rows in them) #}
{% for a in coded %}
values_{{ a.index | integer }} AS (
    {% with counted = 'combinations' %}{% include 'models/values.sql' %}{% endwith +%}
),
{% if a.attribute is not none %}
{% with c = a, a = a.attribute %}
{% if a.leaves %}
leaves_{{ a.index | integer }} AS (
    {% include 'hierarchies/leaves.sql' %}
),
{% endif %}
dim_{{ a.index | integer }} AS (
    {% include 'verify/dimension.sql' %}
),
{% endwith %}
groups_{{ a.index | integer }} AS (
    {% include 'models/groups.sql' %}
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
    LEFT JOIN values_{{ a.index | integer }} AS w{{ a.index | integer }} ON w{{ a.index | integer }}.value = c.q{{ a.index | integer }}
    {% endfor %}
)
SELECT COUNT(*) AS classes, CAST(COALESCE(SUM(k.n), 0) AS BIGINT) AS failing
FROM (
    {% with table = 'judged' %}{% include 'models/classes.sql' %}{% endwith +%}
) AS k
WHERE NOT k.ok
