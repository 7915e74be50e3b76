{# A published table by itself.
   grain: one row
   in: table, dimensions, measures (names), counts (those that count rows or people), threshold (0
       where there is none)
   out: rows, cells that are there twice, rows without a level; of every measure the hidden cells,
       those that are neither published nor hidden, and those of too few #}
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
        {%- if not loop.last %} OR {% endif %}{% endfor %} THEN 1 END) AS BIGINT) AS unlevelled
{% for m in measures %}
    , CAST(COUNT(CASE WHEN {{ ['t', m ~ '_status'] | ident }} = 'hidden' THEN 1 END) AS BIGINT)
        AS {{ ('hidden' ~ loop.index) | ident }}
    , CAST(COUNT(CASE WHEN {{ ['t', m ~ '_status'] | ident }} IS NULL
        OR {{ ['t', m ~ '_status'] | ident }} = 'hidden' AND {{ ['t', m] | ident }} IS NOT NULL
        OR {{ ['t', m ~ '_status'] | ident }} = 'published' AND {{ ['t', m] | ident }} IS NULL
        OR {{ ['t', m ~ '_status'] | ident }} NOT IN ('hidden', 'published') THEN 1 END) AS BIGINT)
        AS {{ ('odd' ~ loop.index) | ident }}
    , CAST(COUNT(CASE WHEN {% if m in counts %}{{ ['t', m] | ident }} < {{ threshold | integer }}
        {%- else %}1 = 0{% endif %} THEN 1 END) AS BIGINT) AS {{ ('few' ~ loop.index) | ident }}
{% endfor %}
FROM {{ table | ident }} AS t
