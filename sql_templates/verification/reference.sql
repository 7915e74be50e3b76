{# What a sensitive column's values are in the whole table, which classes are held against. NULL is
   a value, the first one.
   grain: one row per value
   in: a (coded column), whole (a relation: q<index>, n)
   out: a SELECT of (code: a number of the value, 0 of NULL, value, share of all rows, many: values
       there are, named: whether the promise is about it; place in the order, where one is asked
       for; x as a number and width from the least to the greatest, where distances are) #}
{% from 'verification/macros.sql' import number %}
SELECT
    CASE
        WHEN u.value IS NULL THEN 0
        ELSE CAST(DENSE_RANK() OVER (ORDER BY u.value NULLS FIRST) AS INTEGER)
    END AS code,
    u.value,
    CAST(u.n AS DOUBLE) / CAST(SUM(u.n) OVER () AS DOUBLE) AS share,
    COUNT(*) OVER () AS many,
{% if a.ordered and a.order %}
    CASE
        WHEN u.value IS NULL THEN 0
    {% for word, place in a.positions %}
        WHEN u.word = {{ word | literal }} THEN {{ place | integer }}
    {% endfor %}
    END AS place,
{% elif a.ordered %}
    DENSE_RANK() OVER (ORDER BY u.value NULLS FIRST) AS place,
{% endif %}
{% if a.measured %}
    u.x,
    COALESCE(MAX(u.x) OVER () - MIN(u.x) OVER (), 0) AS width,
{% endif %}
{% if a.named %}
    COALESCE(u.word IN ({{ a.named | literals }}), FALSE) AS named
{% else %}
    TRUE AS named
{% endif %}
FROM (
    SELECT
        t.value,
    {% if a.named or (a.ordered and a.order) %}
        {{ a | text('t', 'value') }} AS word,
    {% endif %}
    {% if a.measured %}
        {{ number(a, ['t', 'value']) }} AS x,
    {% endif %}
        t.n
    FROM (
        SELECT w.q# AS value, CAST(SUM(w.n) AS BIGINT) AS n
        FROM {{ whole | ident }} AS w
        GROUP BY w.q#
        HAVING SUM(w.n) > 0
    ) AS t
) AS u
