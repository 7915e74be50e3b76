{# Combinations of labels with their people, where nobody is in two of them.
   grain: one row per combination of labels
   in: rows (labelled, or gathered of more dimensions), attributes, levels {index: the levels},
       keyed (whether people have keys), exclusive (whether they are counted), sums, name
   out: the table `name` (the columns of labelled but e; p: the people, rk: the sum of their keys
       modulo 2^32) #}
{% from 'verification/statistics/macros.sql' import keys %}
CREATE TABLE {{ name | ident }} AS
SELECT
    {{ keys('t', attributes, levels) }}
    {% if keyed %}
    CAST(SUM(t.rk) % 4294967296 AS BIGINT) AS rk,
    {% endif %}
    {{ sums | each('CAST(SUM(t.s#) AS BIGINT) AS s#,') }}
    {% if exclusive %}
    CAST(SUM(t.exclusive) AS BIGINT) AS exclusive,
    {% endif %}
    CAST(SUM(t.n) AS BIGINT) AS n,
    CAST(SUM(t.p) AS BIGINT) AS p
FROM {{ rows | ident }} AS t
GROUP BY
{% for a in attributes %}
    {% set outer_last = loop.last %}
    {% for level in levels[a.index] %}
    {{ ['t', 'k' ~ a.index ~ '_' ~ level] | ident }}{% if not (loop.last and outer_last) %},{% endif +%}
    {% endfor %}
{% endfor %}
