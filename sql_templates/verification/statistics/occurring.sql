{# Which labels occur together.
   grain: one row per combination of labels
   in: rows (labelled, or gathered), attributes, levels {index: the levels}
   out: a SELECT of a number for the label of every dimension and level #}
SELECT
{% for a in attributes %}
    {% set outer_last = loop.last %}
    {% for level in levels[a.index] %}
    CAST({{ ['d' ~ a.index ~ '_' ~ level, 'number'] | ident }} AS BIGINT)
        AS {{ ('n' ~ a.index ~ '_' ~ level) | ident }}{% if not (loop.last and outer_last) %},{% endif +%}
    {% endfor %}
{% endfor %}
FROM (
    SELECT DISTINCT
    {% for a in attributes %}
        {% set outer_last = loop.last %}
        {% for level in levels[a.index] %}
        {{ ['r', 'k' ~ a.index ~ '_' ~ level] | ident }}{% if not (loop.last and outer_last) %},{% endif +%}
        {% endfor %}
    {% endfor %}
    FROM {{ rows | ident }} AS r
) AS t
{% for a in attributes %}
{% for level in levels[a.index] %}
JOIN (
    SELECT u.k, ROW_NUMBER() OVER (ORDER BY u.k NULLS FIRST) AS number
    FROM (SELECT DISTINCT {{ ['r', 'k' ~ a.index ~ '_' ~ level] | ident }} AS k FROM {{ rows | ident }} AS r) AS u
) AS {{ ('d' ~ a.index ~ '_' ~ level) | ident }}
    ON {{ ['d' ~ a.index ~ '_' ~ level, 'k'] | ident }} = {{ ['t', 'k' ~ a.index ~ '_' ~ level] | ident }}
{% endfor %}
{% endfor %}
