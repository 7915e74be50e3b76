{# Classes that break a criterion of how often single values occur in them.
   grain: one row per such class
   in: table, keys, promise, model, reference_<index>
   out: a SELECT of (keys, NULL, 1). The block broken, which the criterion gives, is the condition,
       over s: the values that a class has, own_n of own_rows rows (own_share), own_rank by
       frequency; of own_many values of the table, own_seen the share there, own_named whether the
       model is about them. Up to a share promise.slack of the whole table is not to be seen, so a
       value's share of it lies between own_least, (1 - slack) * share, and own_most, that plus
       slack #}
SELECT {{ keys | idents('s') }}, NULL, 1
FROM (
    SELECT
        a.*,
        a.own_n / a.own_rows AS own_share,
        ROW_NUMBER() OVER (PARTITION BY {{ keys | idents('a') }}
            ORDER BY a.own_n DESC NULLS LAST) AS own_rank,
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
    {% block broken %}{% endblock %}
