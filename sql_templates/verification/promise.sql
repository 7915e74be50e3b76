{# The classes of a release that do not keep the promise, by the release alone: what is not told by
   class sizes. Masked
   rows are a class like another.
   grain: one row
   in: released table, labels (quasi-identifying columns), bounds of them, keys (k1 … for both),
       coded, promise
   out: (failing classes, rows in them) #}
WITH combinations AS (
    SELECT r.*, CAST(COUNT(*) AS BIGINT) AS n
    FROM (
        SELECT
        {% for name in labels + bounds %}
            s.{{ name | ident }}{% if name in labels %} COLLATE "C"{% endif
                %} AS {{ keys[loop.index0] | ident }},
        {% endfor %}
        {% for a in coded %}
            {% with side = 's' %}{% include 'star/value.sql' %}{% endwith %} AS q{{ a.index |
                integer }}{% if not loop.last %},{% endif +%}
        {% endfor %}
        FROM {{ table | ident }} AS s
    ) AS r
    GROUP BY {{ keys | idents('r') }}, {% for a in coded %}r.q{{ a.index | integer }}{% if not
        loop.last %}, {% endif %}{% endfor +%}
),
{% with whole = 'combinations', linted = false %}
{% include 'verification/failing.sql' %}
{% endwith %}
