{# Classes that break a model of how often single values occur in them.
   grain: one row per such class
   in: table, keys, promise, model, reference_<index>
   out: a SELECT of (keys, NULL, 1). Up to a share promise.slack of the whole table is not to be
       seen, so a value's share of it
        lies between (1 - slack) * share and that plus slack #}
SELECT {{ keys | idents('s') }}, NULL, 1
FROM (
    SELECT
        a.*,
        a.own_n / a.own_rows AS own_share,
        ROW_NUMBER() OVER (PARTITION BY {{ keys | idents('a')
            }} ORDER BY a.own_n DESC NULLS LAST) AS own_rank,
        r.many AS own_many,
        r.named AS own_named,
        r.share AS own_seen,
        (1 - {{ promise.slack | number }}) * r.share AS own_least,
        (1 - {{ promise.slack | number }}) * r.share + {{ promise.slack | number }} AS own_most
    FROM (
        {% with index = model.index %}{% include 'verification/amounts.sql' %}{% endwith +%}
    ) AS a
    JOIN {{ ('reference_' ~ model.index) | ident }} AS r ON r.code = a.own_code
) AS s
GROUP BY {{ keys | idents('s') }}
HAVING
{% if model.kind == 'entropy' %}
    -SUM(s.own_share * LN(s.own_share)) < {{ (model.log - promise.tolerance) | number }}
{% elif model.kind == 'recursive' %}
    MAX(s.own_n) >= {{ model.other | number }} * CAST(SUM(CASE WHEN s.own_rank >= {{ model.bound |
        number }} THEN s.own_n ELSE 0 END) AS BIGINT)
{% elif model.kind == 'alpha' %}
    MAX(CASE WHEN s.own_named THEN s.own_n ELSE 0 END) > {{ model.bound | number
        }} * CAST(SUM(s.own_n) AS BIGINT)
{% elif model.kind == 'beta' %}
    MAX(s.own_share - {{ (1 + model.bound) | number }} * s.own_most) > {{ promise.tolerance | number
        }}
{% elif model.kind == 'delta' %}
    COUNT(*) < MAX(s.own_many)
    OR MAX(LN(s.own_share) - LN(s.own_most)) >= {{ (model.bound - promise.tolerance) | number }}
    OR MIN(LN(s.own_share) - LN(s.own_least)) <= {{ (promise.tolerance - model.bound) | number }}
{% else %}
    {# what must move is what some values have too much #}
    SUM(CASE WHEN s.own_share > s.own_seen THEN s.own_share - s.own_seen ELSE 0 END)
        > {{ (model.bound + promise.slack + promise.tolerance) | number }}
{% endif %}
