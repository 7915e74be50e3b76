{# A published table by itself.
   grain: one row
   in: table, dimensions, finest {dimension: the least level that a row has}, measures (names), counts
       (those that count rows or people), ratios (those that follow from others), status (of cells that are shown), least {measure: a count
       from 1 to below it is too few}, of_nobody (whether 0 is too), bases {measure: what every value
       is a multiple of}, scales {measure: the numbers of digits after the point that its values may
       have} (of those that can have more), waived {measure: rows that may be of too few}
   out: rows, cells that are there twice, rows without a level that the table may have, rows that
       show nothing but 0; of every dimension the greatest level, -1 without rows;
       of every measure the hidden cells,
       those that are neither shown nor hidden, those that may not be: of too few, or no
       multiple, and those with more digits than they may have #}
{% from 'verification/statistics/macros.sql' import among, to_digits %}
SELECT
    CAST(COUNT(*) AS BIGINT) AS total,
    CAST(COUNT(*) - (
        SELECT COUNT(*)
        FROM (
            SELECT DISTINCT {% for d in dimensions %}{{ ['u', d] | ident }}, {{ ['u', d ~ '_level'] | ident }}
                {%- if not loop.last %}, {% endif %}{% endfor +%}
            FROM {{ table | ident }} AS u
        ) AS o
    ) AS BIGINT) AS twice,
    CAST(COUNT(CASE WHEN {% for d in dimensions %}{{ ['t', d ~ '_level'] | ident }} IS NULL
        OR {{ ['t', d ~ '_level'] | ident }} < {{ finest[d] | integer }}
        OR {{ ['t', d ~ '_level'] | ident }} <> CAST({{ ['t', d ~ '_level'] | ident }} AS INTEGER)
        {%- if not loop.last %} OR {% endif %}{% endfor %} THEN 1 END) AS BIGINT) AS unlevelled,
    CAST(COUNT(CASE WHEN {% for m in measures if m not in ratios %}{{ ['t', m ~ '_status'] | ident }} <> 'hidden'
        AND {{ ['t', m] | ident }} = 0{% if not loop.last %}
        AND {% endif %}{% endfor %} THEN 1 END) AS BIGINT) AS zeros
{% for d in dimensions %}
    , CAST(COALESCE(MAX({{ ['t', d ~ '_level'] | ident }}), -1) AS BIGINT)
        AS {{ ('top' ~ loop.index) | ident }}
{% endfor %}
{% for m in measures %}
    , CAST(COUNT(CASE WHEN {{ ['t', m ~ '_status'] | ident }} = 'hidden' THEN 1 END) AS BIGINT)
        AS {{ ('hidden' ~ loop.index) | ident }}
    , CAST(COUNT(CASE WHEN {{ ['t', m ~ '_status'] | ident }} IS NULL
        OR {{ ['t', m ~ '_status'] | ident }} = 'hidden' AND {{ ['t', m] | ident }} IS NOT NULL
        OR {{ ['t', m ~ '_status'] | ident }} = {{ status | literal }} AND {{ ['t', m] | ident }} IS NULL
        OR {{ ['t', m ~ '_status'] | ident }} NOT IN ('hidden', {{ status | literal }}) THEN 1 END) AS BIGINT)
        AS {{ ('odd' ~ loop.index) | ident }}
    , CAST(COUNT(CASE WHEN {{ among('t', waived[m]) }} THEN NULL WHEN 1 = 0
        {% if m in counts %}
        OR {{ ['t', m] | ident }} < {{ least[m] | integer }}{% if not of_nobody %} AND {{ ['t', m] | ident }} <> 0{% endif +%}
        {% endif %}
        {% if m in bases %}
        OR {{ ['t', m] | ident }} % {{ bases[m] | integer }} <> 0
        {% endif %}
        THEN 1 END) AS BIGINT) AS {{ ('few' ~ loop.index) | ident }}
    , CAST(COUNT(CASE WHEN {% for scale in scales.get(m, []) %}
        {{ ['t', m] | ident }} <> {{ to_digits(['t', m], scale) }}{% if not loop.last %} AND{% endif +%}
        {% else %}1 = 0{% endfor +%}
        THEN 1 END) AS BIGINT) AS {{ ('finer' ~ loop.index) | ident }}
{% endfor %}
FROM {{ table | ident }} AS t
