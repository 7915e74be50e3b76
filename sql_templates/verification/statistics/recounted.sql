{# The cells of one table, counted anew from the rows by labels.
   grain: one row per vector of levels and labels of the table's dimensions
   in: rows (labelled, or gathered), all_attributes, vectors (of the table: the level of every
       dimension by its index, its height for the top), several (whether somebody is in several
       rows), keyed (whether people have keys), sums, ranked (how many of the largest contributors
       count; 0 for none), named (whether the only person of a cell is asked for), exclusive (whether
       people in one combination alone are), name
   out: the table (l<index>, k<index> of all dimensions, people, n, m<index>, a<index>, t<index>,
       x<index>, y<index>; exclusive: the people in one combination alone; ck: the sum of people's keys modulo 2^32; e: where it is asked for, the
       only person of a cell of one) #}
CREATE TABLE {{ name | ident }} AS
{% for vector in vectors %}
SELECT
    {{ all_attributes | each('p.k#,') }}
    {% for a in all_attributes %}
    CAST({{ vector[a.index] | integer }} AS BIGINT) AS l#,
    {% endfor %}
    CAST(SUM(p.p) AS BIGINT) AS people,
    {% if named %}
    CASE WHEN SUM(p.p) = 1 THEN MIN(p.e) END AS e,
    {% endif %}
    {% if keyed %}
    CAST(SUM(p.rk) % 4294967296 AS BIGINT) AS ck,
    {% endif %}
    {% if ranked %}
    {% for m in sums %}
    CAST(SUM(ABS({{ m | sql('p.s#') }})) AS BIGINT) AS {{ m | sql('a#') }},
    CAST(SUM(CASE WHEN {{ m | sql('p.r#') }} <= {{ ranked | integer }}
        THEN ABS({{ m | sql('p.s#') }}) ELSE 0 END) AS BIGINT) AS {{ m | sql('t#') }},
    CAST(SUM(CASE WHEN {{ m | sql('p.r#') }} = 1
        THEN ABS({{ m | sql('p.s#') }}) ELSE 0 END) AS BIGINT) AS {{ m | sql('x#') }},
    CAST(SUM(CASE WHEN {{ m | sql('p.r#') }} = 2
        THEN ABS({{ m | sql('p.s#') }}) ELSE 0 END) AS BIGINT) AS {{ m | sql('y#') }},
    {% endfor %}
    {% endif %}
    {{ sums | each('CAST(SUM(p.s#) AS BIGINT) AS m#,') }}
    {% if exclusive %}
    CAST(SUM(p.exclusive) AS BIGINT) AS exclusive,
    {% endif %}
    CAST(SUM(p.n) AS BIGINT) AS n
FROM (
    SELECT
        o.*
    {% if ranked %}
    {% for m in sums %}
        , ROW_NUMBER() OVER (
            PARTITION BY {{ all_attributes | listed('o.k#') }}
            ORDER BY ABS({{ m | sql('o.s#') }}) DESC NULLS LAST
        ) AS {{ m | sql('r#') }}
    {% endfor %}
    {% endif %}
    FROM (
        SELECT
        {% for a in all_attributes %}
            {% if vector[a.index] == a.height %}
            '*' AS k#,
            {% else %}
            {{ ['t', 'k' ~ a.index ~ '_' ~ vector[a.index]] | ident }} AS k#,
            {% endif %}
        {% endfor %}
        {% if several %}
            1 AS p,
            {% if named %}
            t.e,
            {% endif %}
            {% if keyed %}
            MIN(t.rk) AS rk,
            {% endif %}
            {{ sums | each('CAST(SUM(t.s#) AS BIGINT) AS s#,') }}
            {% if exclusive %}
            MAX(t.exclusive) AS exclusive,
            {% endif %}
            CAST(SUM(t.n) AS BIGINT) AS n
        FROM {{ rows | ident }} AS t
        GROUP BY
            {% for a in all_attributes %}
            {% if vector[a.index] != a.height %}
            {{ ['t', 'k' ~ a.index ~ '_' ~ vector[a.index]] | ident }},
            {% endif %}
            {% endfor %}
            t.e
        {% else %}
            t.p,
            {% if named %}
            t.e,
            {% endif %}
            {% if keyed %}
            t.rk,
            {% endif %}
            {{ sums | each('t.s#,') }}
            {% if exclusive %}
            t.exclusive,
            {% endif %}
            t.n
        FROM {{ rows | ident }} AS t
        {% endif %}
    ) AS o
) AS p
GROUP BY {{ all_attributes | listed('p.k#') }}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
