{# The values of a sensitive column, coded. NULL is a value like another, has the code 0, and comes
   first in an order.
   grain: one row per value that the table has
   in: a (coded column), counted (relation with q<index> and n)
   out: a SELECT of (code, value, n: rows, share of all rows, m: number of values, named: whether
       alpha_k is about it, place in the order and the share below, itself included, where the
       ordered distance asks for them; x: the value as a number, in days of a date, NULL where it is
       none, and width: from the least to the greatest x, where a model asks how far values lie
       apart) #}
SELECT
    w.code, w.value, w.n,
    CAST(w.n AS DOUBLE) / CAST(w.total AS DOUBLE) AS share,
    w.m,
    {% if a.ordered %}
    w.place,
    CAST(SUM(w.n) OVER (ORDER BY w.place NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING
        AND CURRENT ROW) AS DOUBLE) / CAST(w.total AS DOUBLE) AS below,
    {% endif %}
    {% if a.measured %}
    w.x,
    COALESCE(MAX(w.x) OVER () - MIN(w.x) OVER (), 0) AS width,
    {% endif %}
    w.named
FROM (
    SELECT
        CASE WHEN u.value IS NULL THEN 0
            ELSE CAST(ROW_NUMBER() OVER (ORDER BY u.value NULLS FIRST) AS INTEGER) END AS code,
        u.value, u.n,
        SUM(u.n) OVER () AS total,
        COUNT(*) OVER () AS m,
        {% if a.ordered and a.order %}
        CASE WHEN u.value IS NULL THEN 0 ELSE o.place END AS place,
        {% elif a.ordered %}
        ROW_NUMBER() OVER (ORDER BY u.value NULLS FIRST) AS place,
        {% endif %}
        {% if a.measured %}
        {% with value = ['u', 'value'] %}{% include 'privacy/number.sql' %}{% endwith %} AS x,
        {% endif %}
        {% if a.named %}COALESCE({{ a | text('u', 'value') }} IN ({{ a.named | literals }}),
            FALSE){% else %}TRUE{% endif %} AS named
    FROM (
        SELECT t.q{{ a.index | integer }} AS value, CAST(SUM(t.n) AS BIGINT) AS n
        FROM {{ counted | ident }} AS t
        WHERE t.n > 0
        GROUP BY t.q{{ a.index | integer }}
    ) AS u
    {% if a.ordered and a.order %}
    LEFT JOIN (VALUES {{ a.positions | rows }}) AS o (word, place)
        ON o.word = {{ a | text('u', 'value') }}
    {% endif %}
) AS w
