{# The rows once for each draw, with a hash that tells them apart: of the seed, the draw, the tokens
   and the row's number among the rows that have the same ones.
   grain: one row per draw and released row
   in: draws (their numbers), seed, and what completion/rows takes
   out: (draw, hash, t<index>, w<index> of those weighed, k<index>, g<index>; where values are
       placed: occurrence, size, class: a hash of it) #}
{% macro labels() %}
        {{ seed | literal }} || ':' || CAST(d.draw AS VARCHAR)
        {{ labeled | each("|| ':' || CAST(o.t# AS VARCHAR)") }}
        {{ buckets | each("|| ':' || COALESCE(CAST(o.g# AS VARCHAR), '')") }}
{% endmacro %}
SELECT
    d.draw,
    {{ labeled | each('o.t#,') }}
    {{ weighed | each('o.w#,') }}
    {{ kept | each('o.k#,') }}
    {{ buckets | each('o.g#,') }}
    {% if placing %}
    o.occurrence,
    o.size,
    MD5({{ labels() }}) AS class,
    {% endif %}
    MD5({{ labels() }} || ':' || CAST(o.occurrence AS VARCHAR)) AS hash
FROM (
    {% include 'completion/rows.sql' %}
) AS o
CROSS JOIN (
    {% for draw in draws %}
    SELECT CAST({{ draw | integer }} AS INTEGER) AS draw{% if not loop.last %} UNION ALL{% endif +%}
    {% endfor %}
) AS d
