{# The buckets of a column that do not keep its t-closeness, by the table of buckets alone: the
   reference are all withheld values.
   grain: one row
   in: sensitive (the table of buckets), bucket, count (names of its columns), keys (k1), coded (the
       column alone), promise
   out: (failing buckets, cells in them) #}
WITH combinations AS (
    SELECT r.k1, r.q{{ coded[0].index | integer }}, CAST(SUM(r.amount) AS BIGINT) AS n
    FROM (
        SELECT
            s.{{ bucket | ident }} AS k1,
            {{ coded[0] | value('s') }} AS q{{ coded[0].index | integer }},
            s.{{ count | ident }} AS amount
        FROM {{ sensitive | ident }} AS s
    ) AS r
    GROUP BY r.k1, r.q{{ coded[0].index | integer }}
),
{% with whole = 'combinations', linted = false %}
{% include 'verification/failing.sql' %}
{% endwith %}
