{# The cells of all tables: a cube is a frequency set at every level, rolled up from the combinations
   by the groups of the dimensions. Where somebody is in several combinations, or contributors are
   ranked, the amounts of a person are added first.
   grain: one row per vector of levels and group of every dimension
   in: coded, name, vectors (each with its number and the level of every dimension; None at the top),
       attributes, keyed (whether people have keys), several (whether a person can be in several combinations), ranked (how many of
       the largest contributors count; 0 for none), named (whether the only person of a cell is
       asked for), exclusive (whether people in one combination alone are), sums
   out: the table `name` (v, c<index>: the group, -1 at the top; people, n, m<index>, and where
       contributors are ranked a<index>: amounts without their signs, t<index>: of the largest
       contributors, x<index>_1, x<index>_2: of the largest and the second largest; ck: the cell's
       key, where people have keys; exclusive: the people in one combination alone; e: where people are named, the only one of a cell of one) #}
CREATE TABLE {{ name | ident }} AS
{% for vector in vectors %}
SELECT
    CAST({{ vector.number | integer }} AS INTEGER) AS v,
    {{ attributes | each('r.c#,') }}
    {% if named %}
    CASE WHEN SUM(r.p) = 1 THEN MIN(r.e) END AS e,
    {% endif %}
    CAST(SUM(r.p) AS BIGINT) AS people,
    {{ sums | each('CAST(SUM(r.s#) AS BIGINT) AS m#,') }}
    {% if ranked %}
    {% for m in sums %}
    CAST(SUM(ABS(r.s{{ m.index | integer }})) AS BIGINT) AS {{ m | sql('a#') }},
    CAST(SUM(CASE WHEN {{ m | sql('r.r#') }} <= {{ ranked | integer }}
        THEN ABS({{ m | sql('r.s#') }}) ELSE 0 END) AS BIGINT) AS {{ m | sql('t#') }},
    CAST(MAX(CASE WHEN {{ m | sql('r.r#') }} = 1
        THEN ABS({{ m | sql('r.s#') }}) ELSE 0 END) AS BIGINT) AS {{ m | sql('x#_1') }},
    CAST(MAX(CASE WHEN {{ m | sql('r.r#') }} = 2
        THEN ABS({{ m | sql('r.s#') }}) ELSE 0 END) AS BIGINT) AS {{ m | sql('x#_2') }},
    {% endfor %}
    {% endif %}
    {% if keyed %}
    CAST(SUM(r.rk) % 4294967296 AS BIGINT) AS ck,
    {% endif %}
    {% if exclusive %}
    CAST(SUM(r.exclusive) AS BIGINT) AS exclusive,
    {% endif %}
    CAST(SUM(r.n) AS BIGINT) AS n
FROM (
{% if ranked %}
    SELECT
        {{ attributes | each('p.c#,') }}
        {% if named %}
        p.e,
        {% endif %}
        p.p,
        {% if keyed %}
        p.rk,
        {% endif %}
        {% for m in sums %}
        {{ m | sql('p.s#') }},
        ROW_NUMBER() OVER (
            PARTITION BY {{ attributes | listed('p.c#') }} ORDER BY {{ m | sql('ABS(p.s#)') }} DESC NULLS LAST
        ) AS {{ m | sql('r#') }},
        {% endfor %}
        {% if exclusive %}
        p.exclusive,
        {% endif %}
        p.n
    FROM (
{% endif %}
    SELECT
    {% for a in attributes %}
        {% if vector.levels[a.index] is none %}
        CAST(-1 AS INTEGER) AS c#,
        {% else %}
        {{ ['t', 'g' ~ a.index ~ '_' ~ vector.levels[a.index]] | ident }} AS c#,
        {% endif %}
    {% endfor %}
{% if several %}
        {% if named %}
        t.e,
        {% endif %}
        1 AS p,
        {% if keyed %}
        MIN(t.rk) AS rk,
        {% endif %}
        {{ sums | each('SUM(t.s#) AS s#,') }}
        {% if exclusive %}
        MAX(t.exclusive) AS exclusive,
        {% endif %}
        SUM(t.n) AS n
    FROM coded AS t
    GROUP BY
        {% for a in attributes %}
        {% if vector.levels[a.index] is not none %}
        {{ ['t', 'g' ~ a.index ~ '_' ~ vector.levels[a.index]] | ident }},
        {% endif %}
        {% endfor %}
        t.e
{% else %}
        t.p,
        {% if keyed %}
        t.rk,
        {% endif %}
        {{ sums | each('t.s#,') }}
        {% if exclusive %}
        t.exclusive,
        {% endif %}
        t.n
    FROM coded AS t
{% endif %}
{% if ranked %}
    ) AS p
{% endif %}
) AS r
GROUP BY {{ attributes | listed('r.c#') }}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
