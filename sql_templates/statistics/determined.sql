{# Whether the values of one column determine those of another.
   grain: one row per pair
   in: table, pairs (of columns: one, other)
   out: number of the pair, distinct values of one, of the other, and of both together; NULL is a
       value #}
{% for one, other in pairs %}
SELECT
    CAST({{ loop.index | integer }} AS BIGINT) AS pair,
    (SELECT CAST(COUNT(*) AS BIGINT) FROM (
        SELECT DISTINCT {{ ['t', one] | ident }} AS v FROM {{ table | ident }} AS t) AS p) AS one,
    (SELECT CAST(COUNT(*) AS BIGINT) FROM (
        SELECT DISTINCT {{ ['t', other] | ident }} AS v FROM {{ table | ident }} AS t) AS p) AS other,
    (SELECT CAST(COUNT(*) AS BIGINT) FROM (
        SELECT DISTINCT {{ ['t', one] | ident }} AS v, {{ ['t', other] | ident }} AS w
        FROM {{ table | ident }} AS t) AS p) AS together
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
