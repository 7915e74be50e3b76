{# The part of a promise that the shares of a sensitive column's values in a class tell, each value
   by itself. Absent values count in the equal distance by what the present ones leave of the
   reference: half of the sum over all values of |share - reference| is (sum over the present ones
   of (|share - reference| - reference) + 1) / 2.
   grain: one row per combination of the keys that has rows of the table
   in: see star/models/classes; index of the column, models about it, values_<index>
   out: a SELECT of (keys, n: none, ok). Shares are doubles, compared with a tolerance of
       promise.tolerance #}
SELECT
    {{ keys | idents('d') }},
    CAST(NULL AS BIGINT) AS n,
    {% for model in models %}
    {% if model.kind == 'entropy' %}
    LN(MAX(d.own_total)) - SUM(d.own_amount * LN(d.own_amount))
        / MAX(d.own_total) >= {{ (model.log - promise.tolerance) | number }}
    {% elif model.kind == 'recursive' %}
    MAX(d.n) < {{ model.other | number }}
        * CAST(COALESCE(SUM(CASE WHEN d.own_place >= {{ model.bound | number }} THEN d.n END),
        0) AS BIGINT)
    {% elif model.kind == 'alpha' %}
    COALESCE(MAX(CASE WHEN d.own_named THEN d.n END), 0) <= {{ model.bound | number }}
        * CAST(SUM(d.n) AS BIGINT)
    {% elif model.kind == 'beta' %}
    MAX(d.own_amount / d.own_total - {{ (model.bound + 1) | number }}
        * d.own_most) <= {{ promise.tolerance | number }}
    {% elif model.kind == 'delta' %}
    COUNT(*) = MAX(d.own_m)
    AND MAX(LN(d.own_amount / d.own_total
        / d.own_most)) < {{ (model.bound - promise.tolerance) | number }}
    AND MIN(LN(d.own_amount / d.own_total
        / d.own_least)) > {{ (promise.tolerance - model.bound) | number }}
    {% else %}
    (SUM(ABS(d.own_amount / d.own_total - d.own_share) - d.own_share) + 1)
        / 2 <= {{ (model.bound + promise.slack + promise.tolerance) | number }}
    {% endif %}
    {% if not loop.last %}AND{% endif +%}
    {% endfor %}
    AS ok
FROM (
    SELECT
        {{ keys | idents('c') }},
        c.n,
        CAST(c.n AS DOUBLE) AS own_amount,
        CAST(SUM(c.n) OVER (PARTITION BY {{ keys | idents('c') }}) AS DOUBLE) AS own_total,
        ROW_NUMBER() OVER (PARTITION BY {{ keys | idents('c') }}
            ORDER BY c.n DESC NULLS LAST) AS own_place,
        v.m AS own_m,
        v.named AS own_named,
        v.share AS own_share,
        v.share * {{ (1 - promise.slack) | number }} AS own_least,
        v.share * {{ (1 - promise.slack) | number }} + {{ promise.slack | number }} AS own_most
    FROM (
        SELECT {{ keys | idents('f') }}, f.{{ ('x' ~ index) | ident }} AS own_code,
            CAST(SUM(f.n) AS BIGINT) AS n
        FROM {{ table | ident }} AS f
        WHERE f.n > 0
        GROUP BY {{ keys | idents('f') }}, f.{{ ('x' ~ index) | ident }}
    ) AS c
    JOIN {{ ('values_' ~ index) | ident }} AS v ON v.code = c.own_code
) AS d
GROUP BY {{ keys | idents('d') }}
