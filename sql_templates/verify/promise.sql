{# The classes of a release that do not keep the promise, by the release alone: what is not told by class sizes. Masked
   rows are a class like another.
   grain: one row
   in: released table, labels (quasi-identifying columns), bounds of them, keys (k1 … for both), coded, promise
   out: (failing classes, rows in them) #}
WITH combinations AS (
    SELECT r.*, CAST(COUNT(*) AS BIGINT) AS n
    FROM (
        SELECT
        {% for name in labels + bounds %}
            s.{{ name | ident }}{% if name in labels %} COLLATE "C"{% endif %} AS {{ keys[loop.index0] | ident }},
        {% endfor %}
        {% for a in coded %}
            {% with side = 's' %}{% include 'star/value.sql' %}{% endwith %} AS q{{ a.index | integer }}{% if not loop.last %},{% endif +%}
        {% endfor %}
        FROM {{ table | ident }} AS s
    ) AS r
    GROUP BY {{ keys | idents('r') }}, {% for a in coded %}r.q{{ a.index | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
),
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
