{# Classes of a release by groups, as they are released, that do not keep the promise: what people have to do with it, only
   this can tell.
   grain: one row
   in: cells, assigned, groups, attributes, promise, split (whether cells are divided), valued (coded
       columns whose values divide them too), keys (the columns of groups that
       are released)
   out: (classes, their rows) #}
WITH judged AS (
    SELECT
        {{ keys | idents('x') }},
    {% for extra in promise.extras %}
        t.{{ extra | ident }},
    {% endfor %}
    {% if split %}
        CAST(SUM(p.last - p.first + 1) AS BIGINT) AS n
    {% else %}
        CAST(SUM(t.n) AS BIGINT) AS n
    {% endif %}
    FROM cells AS t
    JOIN assigned AS p
        ON {% for a in attributes %}p.c{{ a.index | integer }} = t.c{{ a.index | integer }}{% if not loop.last %} AND {% endif %}{% endfor +%}
    {% for a in valued %}
        AND p.x{{ a.index | integer }} = t.x{{ a.index | integer }}
    {% endfor %}
    JOIN groups AS x ON x.grp = p.grp
    GROUP BY {{ keys | idents('x') }}{% for extra in promise.extras %}, t.{{ extra | ident }}{% endfor +%}
)
SELECT COUNT(*) AS classes, CAST(COALESCE(SUM(m.n), 0) AS BIGINT) AS size
FROM (
    {% with table = 'judged' %}{% include 'models/classes.sql' %}{% endwith +%}
) AS m
WHERE NOT m.ok
