{# The rows of the source by the labels of all levels that tables have, added up for every person.
   grain: one row per combination of labels and person; where nobody is named, one per row of the
       source
   in: source, dim_<index>, attributes, levels {index: the levels}, entity (a column, or none), keyed
       (whether people have keys: record_keys), exclusive (none, or by what people are in one combination
       alone: `rows` who have one row, `groups` who have one combination of labels), sums
   out: table labelled(k<index>_<level>: the name of the group, e, p: 1, n: rows, s<index>: amounts
       in units of their last digit; rk: the person's key, exclusive: 1 for people in one combination alone) #}
{% from 'verification/statistics/macros.sql' import amount, key, keys %}
CREATE TABLE labelled AS
SELECT
    {{ keys('r', attributes, levels) }}
    {% if entity %}
    r.e,
    {% endif %}
    {% if keyed %}
    MIN(w.rk) AS rk,
    {% endif %}
    1 AS p,
    {% if exclusive %}
    CASE WHEN COUNT(*) OVER (PARTITION BY r.e) = 1
        {% if exclusive == 'rows' %}AND COUNT(*) = 1{% endif %} THEN 1 ELSE 0 END AS exclusive,
    {% endif %}
    {% if entity %}
    {{ sums | each('CAST(SUM(r.s#) AS BIGINT) AS s#,') }}
    CAST(COUNT(*) AS BIGINT) AS n
    {% else %}
    {{ sums | each('r.s#,') }}
    1 AS n
    {% endif %}
FROM (
    SELECT
    {% for a in attributes %}
        {% for level in levels[a.index] %}
        CASE WHEN {{ a | value('t') }} IS NULL
            THEN {{ key(['z' ~ a.index, 'v' ~ level]) }}
            ELSE {{ key(['d' ~ a.index, 'v' ~ level]) }} END
            AS {{ ('k' ~ a.index ~ '_' ~ level) | ident }},
        {% endfor %}
    {% endfor %}
    {% if entity %}
        {{ entity | value('t') }} AS e,
    {% endif %}
    {% for m in sums %}
        {{ amount(m, 't') }} AS {{ m | sql('s#') }},
    {% endfor %}
        1 AS n
    FROM {{ source | ident }} AS t
    {% for a in attributes %}
    LEFT JOIN dim_# AS d# ON d#.value = {{ a | value('t') }}
    LEFT JOIN (SELECT y.* FROM dim_# AS y WHERE y.value IS NULL) AS z#
        ON z#.code = CASE WHEN {{ a | value('t') }} IS NULL THEN 0 END
    {% endfor %}
) AS r
{% if keyed %}
JOIN record_keys AS w ON w.e = r.e
{% endif %}
{% if entity %}
GROUP BY {{ keys('r', attributes, levels) }} r.e
{% endif %}
