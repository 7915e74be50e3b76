{# The rows once for each draw, with a hash that tells them apart: of the seed, the draw, the tokens
   and the row's number among the rows that have the same ones. Where columns are drawn together,
   each row has a component by its combination.
   grain: one row per draw and released row
   in: draws (their numbers), seed, joint (whether columns are drawn together), numbered (the
       engine's template of a hexadecimal number), what completion/rows takes; of joint rows instead completed_rows (see
       there), completed_combinations(combination, t<index>, b<index>) and
       completed_components(combination, component, first, past, loss)
   out: (draw, hash, t<index>, k<index>, g<index>; where values are placed: occurrence, size, class:
       a hash of it; of joint rows: combination, component, loss) #}
{% macro labels() %}
        {{ seed | literal }} || ':' || CAST(d.draw AS VARCHAR)
        {{ labeled | each("|| ':' || CAST(o.t# AS VARCHAR)") }}
        {{ buckets | each("|| ':' || COALESCE(CAST(o.g# AS VARCHAR), '')") }}
{% endmacro %}
{% if joint %}
SELECT k.*, m.component, m.loss
FROM (
{% endif %}
SELECT
    d.draw,
    {{ labeled | each('o.t#,') }}
    {{ kept | each('o.k#,') }}
    {{ buckets | each('o.g#,') }}
    {% if placing %}
    o.occurrence,
    o.size,
    MD5({{ labels() }}) AS class,
    {% endif %}
    {% if joint %}
    c.combination,
    MD5({{ labels() }} || ':' || CAST(o.occurrence AS VARCHAR) || '.component') AS chosen,
    {% endif %}
    MD5({{ labels() }} || ':' || CAST(o.occurrence AS VARCHAR)) AS hash
{% if joint %}
FROM completed_rows AS o
JOIN completed_combinations AS c
    ON {{ labeled | each('c.t# = o.t#', ' AND ') }}
    {{ divided | each('AND c.b# = o.b#') }}
{% else %}
FROM (
    {% include 'completion/rows.sql' %}
) AS o
{% endif %}
CROSS JOIN (
    {% for draw in draws %}
    SELECT CAST({{ draw | integer }} AS INTEGER) AS draw{% if not loop.last %} UNION ALL{% endif +%}
    {% endfor %}
) AS d
{% if joint %}
) AS k
JOIN completed_components AS m
    ON m.combination = k.combination
    AND m.first <= {% with digits = ['k', 'chosen'], start = 1 %}{% include numbered ~ '.sql' %}{% endwith +%}
    AND m.past > {% with digits = ['k', 'chosen'], start = 1 %}{% include numbered ~ '.sql' %}{% endwith +%}
{% endif %}
