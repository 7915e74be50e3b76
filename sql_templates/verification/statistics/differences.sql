{# A published table beside its cells, counted anew.
   grain: one row
   in: recounted, shown (tables), attributes (all), measures (with their column in recounted),
       changed (whether values are, and no rule hides cells), threshold, share (of the largest
       contributors), p_percent (both as numerator and denominator: products of floating-point
       numbers differ from engine to engine), each none where there is no such rule
   out: cells of the source, those that the table has, rows of the table, then for each measure those that are neither
       shown nor hidden, those with another value, and those that are published against a
       rule #}
{% from 'verification/statistics/macros.sql' import is_less, leaves_less %}
SELECT
    CAST(COUNT(*) AS BIGINT) AS cells,
    CAST(COUNT(s.l{{ attributes[0].index | integer }}) AS BIGINT) AS matched
    , (SELECT CAST(COUNT(*) AS BIGINT) FROM {{ shown | ident }} AS o) AS given
{% for m in measures %}
    , CAST(COUNT(CASE WHEN {{ ['s', 'h' ~ loop.index] | ident }} = 2 THEN 1 END) AS BIGINT)
        AS {{ ('odd' ~ loop.index) | ident }}
    , CAST(COUNT(CASE WHEN {% if changed %}1 = 0 AND {% endif %}{{ ['s', 'h' ~ loop.index] | ident }} = 0
        AND {{ ['s', 'b' ~ loop.index] | ident }} <> {{ ['r', m.counted] | ident }} THEN 1 END) AS BIGINT)
        AS {{ ('other' ~ loop.index) | ident }}
    , CAST(COUNT(CASE WHEN {{ ['s', 'h' ~ loop.index] | ident }} = 0
        AND {{ ['s', 'w' ~ loop.index] | ident }} = 0 AND (
        1 = 0
        {% if threshold is not none and not changed %}
        OR r.people < {{ threshold | integer }}
        {% endif %}
        {% if m.sum and share is not none %}
        OR {{ is_less(['r', 'a' ~ m.sum.index], ['r', 't' ~ m.sum.index], share) }}
        {% endif %}
        {% if m.sum and p_percent is not none %}
        OR {{ leaves_less(['r', 'a' ~ m.sum.index], ['r', 'x' ~ m.sum.index],
            ['r', 'y' ~ m.sum.index], p_percent) }}
        {% endif %}
    ) THEN 1 END) AS BIGINT) AS {{ ('told' ~ loop.index) | ident }}
{% endfor %}
FROM {{ recounted | ident }} AS r
LEFT JOIN {{ shown | ident }} AS s
    ON {{ attributes | each('s.l# = r.l# AND s.k# = r.k#', ' AND ') }}
