{# Combinations by the groups that they belong to at every level that is published.
   grain: one row per combination of groups; where people are apart, per such and person
   in: combinations, dim_<index>, attributes, levels {index: the levels that have groups}, entity
       (whether people are named), keyed (whether they have keys: record_keys), apart (whether every
       row is of one person), exclusive (none, or by what people are in one combination alone: `rows` who
       have one row, `groups` who are in one combination of groups at the
       levels that are `finest` by the index of the dimension), sums
   out: table coded(g<index>_<level>, e where people are apart and named, p: people, rk: the sum of
       their keys modulo 2^32, n: rows, s<index>; exclusive: the people in this combination alone) #}
CREATE TABLE coded AS
SELECT
{% for a in attributes %}
    {% for level in levels[a.index] %}
    d#.g{{ level | integer }} AS {{ ('g' ~ a.index ~ '_' ~ level) | ident }},
    {% endfor %}
{% endfor %}
{% if apart %}
    {% if entity %}
    t.e,
    {% endif %}
    CAST(1 AS BIGINT) AS p,
    {% if keyed %}
    w.rk,
    {% endif %}
    {{ sums | each('t.s#,') }}
    {% if exclusive %}
    CASE WHEN
        {% if exclusive == 'rows' %}
        SUM(t.n) OVER (PARTITION BY t.e) = 1
        {% else %}
        {% for a in attributes %}
        MIN({{ ['d' ~ a.index, 'g' ~ finest[a.index]] | ident }}) OVER (PARTITION BY t.e)
            = MAX({{ ['d' ~ a.index, 'g' ~ finest[a.index]] | ident }}) OVER (PARTITION BY t.e)
            {% if not loop.last %}AND{% endif +%}
        {% endfor %}
        {% endif %}
        THEN 1 ELSE 0 END AS exclusive,
    {% endif %}
    t.n
{% else %}
    {% if entity %}
    CAST(COUNT(*) AS BIGINT) AS p,
    {% if keyed %}
    CAST(SUM(w.rk) % 4294967296 AS BIGINT) AS rk,
    {% endif %}
    {% else %}
    CAST(SUM(t.n) AS BIGINT) AS p,
    {% endif %}
    {{ sums | each('CAST(SUM(t.s#) AS BIGINT) AS s#,') }}
    {% if exclusive == 'rows' %}
    CAST(SUM(CASE WHEN t.n = 1 THEN 1 ELSE 0 END) AS BIGINT) AS exclusive,
    {% elif exclusive %}
    CAST(COUNT(*) AS BIGINT) AS exclusive,
    {% endif %}
    CAST(SUM(t.n) AS BIGINT) AS n
{% endif %}
FROM (
    SELECT
    {% for a in attributes %}
        COALESCE(v#.code, CASE WHEN u.q# IS NULL THEN 0 ELSE -2 END) AS k#,
    {% endfor %}
        {% if entity and (apart or keyed) %}
        u.e,
        {% endif %}
        {{ sums | each('u.s#,') }}
        u.n
    FROM combinations AS u
    {{ attributes | each('LEFT JOIN dim_# AS v# ON v#.value = u.q#') }}
) AS t
{{ attributes | each('JOIN dim_# AS d# ON d#.code = t.k#') }}
{% if keyed %}
JOIN record_keys AS w ON w.e = t.e
{% endif %}
{% if not apart %}
GROUP BY
{% for a in attributes %}
    {% set outer_last = loop.last %}
    {% for level in levels[a.index] %}
    d#.g{{ level | integer }}{% if not (loop.last and outer_last) %},{% endif +%}
    {% endfor %}
{% endfor %}
{% endif %}
