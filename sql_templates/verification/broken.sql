{# Classes of a release by groups, as they are released, that do not keep the promise: what people
   have to do with it, only this can tell. Rows are counted in the source, or, where cells are
   divided, in the portions that verification/portions holds against its rows.
   grain: one row
   in: source, assigned, groups, attributes, promise, coded, split (whether cells are divided),
       valued (coded columns whose values divide them too, with their values_<index>), keys (the
       columns of groups that are released)
   out: (classes, their rows) #}
WITH combinations AS (
{% if split %}
    SELECT
        {{ keys | idents('x') }},
        {{ coded | each('w#.value AS q#,') }}
        CAST(SUM(p.last - p.first + 1) AS BIGINT) AS n
    FROM assigned AS p
    JOIN groups AS x ON x.grp = p.grp
    {{ coded | each('LEFT JOIN values_# AS w# ON w#.code = p.x#') }}
    GROUP BY {{ keys | idents('x') }}{{ coded | each(', w#.value') }}
{% else %}
    SELECT
        {{ keys | idents('x') }},
        {{ coded | each('s.q#,') }}
        CAST(SUM(s.n) AS BIGINT) AS n
    FROM (
        SELECT
            p.grp,
            {{ coded | each('s.q#,') }}
            COUNT(*) AS n
        FROM (
            {% with judged = coded, released = () %}
            {% include 'verification/coded.sql' +%}
            {% endwith %}
        ) AS s
        JOIN assigned AS p
            ON {{ attributes | each('p.c# = s.c#', ' AND ') }}
            {{ valued | each('AND p.x# = s.x#') }}
        GROUP BY p.grp{{ coded | each(', s.q#') }}
    ) AS s
    JOIN groups AS x ON x.grp = s.grp
    GROUP BY {{ keys | idents('x') }}{{ coded | each(', s.q#') }}
{% endif %}
),
{% if coded %}
everybody AS (
    SELECT {{ coded | each('e.q#, ') }}CAST(COUNT(*) AS BIGINT) AS n
    FROM (
        SELECT
            {{ coded | listed('@(o) AS q#') }}
        FROM {{ source | ident }} AS o
    ) AS e
    GROUP BY {{ coded | listed('e.q#') }}
),
{% endif %}
{% with whole = 'everybody', linted = true %}
{% include 'verification/failing.sql' %}
{% endwith %}
