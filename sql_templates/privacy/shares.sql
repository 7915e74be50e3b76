{# The part of a promise that the shares of a sensitive column's values in a class tell, each value
   by itself.
   grain: one row per combination of the keys that has rows of the table
   in: see privacy/classes; index of the column, models about it, values_<index>
   out: a SELECT of (keys, n: none, ok). Shares are doubles, compared with a tolerance of
       promise.tolerance. The criteria see d, the values that the class has: n (own_amount) of
       own_total rows, own_place by frequency; of own_m values of the table, with their share
       own_share there (between own_least and own_most), own_named where the model is about them;
       own_people of people that match, where the promise is about these #}
SELECT
    {{ keys | idents('d') }},
    CAST(NULL AS BIGINT) AS n,
    {% for model in models %}
    {% include model.kept +%}
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
        {% if promise.matching %}
        c.own_people,
        {% endif %}
        v.m AS own_m,
        v.named AS own_named,
        v.share AS own_share,
        v.share * {{ (1 - promise.slack) | number }} AS own_least,
        v.share * {{ (1 - promise.slack) | number }} + {{ promise.slack | number }} AS own_most
    FROM (
        SELECT {{ keys | idents('f') }}, f.{{ ('x' ~ index) | ident }} AS own_code,
            {% if promise.matching %}
            MAX(f.own_people) AS own_people,
            {% endif %}
            CAST(SUM(f.n) AS BIGINT) AS n
        FROM {{ table | ident }} AS f
        WHERE f.n > 0
        GROUP BY {{ keys | idents('f') }}, f.{{ ('x' ~ index) | ident }}
    ) AS c
    JOIN {{ ('values_' ~ index) | ident }} AS v ON v.code = c.own_code
) AS d
GROUP BY {{ keys | idents('d') }}
