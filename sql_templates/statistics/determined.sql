{# Whether a dimension's values say what another one's are.
   grain: one row per pair
   in: ranges, pairs (of dimensions: one, other)
   out: number of the pair, distinct values of one, of the other, and of both together; NULL is a
       value #}
{% for one, other in pairs %}
SELECT
    CAST({{ loop.index | integer }} AS BIGINT) AS pair,
    (SELECT CAST(COUNT(*) AS BIGINT) FROM (
        SELECT DISTINCT {{ one | sql('t.q#') }} AS v FROM ranges AS t) AS p) AS one,
    (SELECT CAST(COUNT(*) AS BIGINT) FROM (
        SELECT DISTINCT {{ other | sql('t.q#') }} AS v FROM ranges AS t) AS p) AS other,
    (SELECT CAST(COUNT(*) AS BIGINT) FROM (
        SELECT DISTINCT {{ one | sql('t.q#') }} AS v, {{ other | sql('t.q#') }} AS w
        FROM ranges AS t) AS p) AS together
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
