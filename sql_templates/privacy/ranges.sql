{# The part of a promise that asks how far the values of a column lie apart in a class: its least
   and its greatest, as a share of the column's own range, or as they are. A class of none but
   values that are no numbers spans nothing.
   grain: one row per combination of the keys that has rows of the table
   in: see privacy/classes; index of the column, models about it, values_<index> with x and
       width
   out: a SELECT of (keys, n: none, ok). Differences are doubles, compared with a relative tolerance
       of promise.tolerance. The criteria see v, the values that the class has: x and width #}
SELECT
    {{ keys | idents('f') }},
    CAST(NULL AS BIGINT) AS n,
    {% for model in models %}
    {% include model.kept +%}
    {% if not loop.last %}AND{% endif +%}
    {% endfor %}
    AS ok
FROM {{ table | ident }} AS f
JOIN {{ ('values_' ~ index) | ident }} AS v ON v.code = f.{{ ('x' ~ index) | ident }}
WHERE f.n > 0
GROUP BY {{ keys | idents('f') }}
