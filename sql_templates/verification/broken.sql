{# Classes of a release by groups, as they are released, that do not keep the promise: what people
   have to do with it, only
   this can tell. Rows are counted in the source, or, where cells are divided, in the portions that
   verification/portions holds
   against its rows.
   grain: one row
   in: source, assigned, groups, attributes, promise, coded, split (whether cells are divided),
       valued (coded columns whose
       values divide them too, with their values_<index>), keys (the columns of groups that are
       released)
   out: (classes, their rows) #}
WITH combinations AS (
{% if split %}
    SELECT
        {{ keys | idents('x') }},
    {% for a in coded %}
        w{{ a.index | integer }}.value AS q{{ a.index | integer }},
    {% endfor %}
        CAST(SUM(p.last - p.first + 1) AS BIGINT) AS n
    FROM assigned AS p
    JOIN groups AS x ON x.grp = p.grp
    {% for a in coded %}
    LEFT JOIN values_{{ a.index | integer }} AS w{{ a.index | integer }} ON w{{ a.index | integer
        }}.code = p.x{{ a.index | integer }}
    {% endfor %}
    GROUP BY {{ keys | idents('x') }}{% for a in coded %}, w{{ a.index | integer }}.value{% endfor
        +%}
{% else %}
    SELECT
        {{ keys | idents('x') }},
    {% for a in coded %}
        s.q{{ a.index | integer }},
    {% endfor %}
        CAST(COUNT(*) AS BIGINT) AS n
    FROM (
        {% with judged = coded, released = () %}{% include 'verification/coded.sql' %}{% endwith +%}
    ) AS s
    JOIN assigned AS p
        ON {% for a in attributes %}p.c{{ a.index | integer }} = s.c{{ a.index | integer }}{% if not
            loop.last %} AND {% endif %}{% endfor +%}
    {% for a in valued %}
        AND p.x{{ a.index | integer }} = s.x{{ a.index | integer }}
    {% endfor %}
    JOIN groups AS x ON x.grp = p.grp
    GROUP BY {{ keys | idents('x') }}{% for a in coded %}, s.q{{ a.index | integer }}{% endfor +%}
{% endif %}
),
{% if coded %}
everybody AS (
    SELECT {% for a in coded %}e.q{{ a.index | integer }}, {% endfor %}CAST(COUNT(*) AS BIGINT) AS n
    FROM (
        SELECT
        {% for a in coded %}
            {% with side = 'o' %}{% include 'star/value.sql' %}{% endwith %} AS q{{ a.index |
                integer }}{% if not loop.last %},{% endif +%}
        {% endfor %}
        FROM {{ source | ident }} AS o
    ) AS e
    GROUP BY {% for a in coded %}e.q{{ a.index | integer }}{% if not loop.last %}, {% endif
        %}{% endfor +%}
),
{% endif %}
{% with whole = 'everybody', linted = true %}
{% include 'verification/failing.sql' %}
{% endwith %}
