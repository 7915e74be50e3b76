{# The values that each class has of a column, by counted codes.
   grain: one row per class and value
   in: table (keys, x<index>, n; own_people that match, where the promise is about these), keys,
       model (its index is the column's), promise, reference_<index>
   out: see verification/offence, with code, the value's, and without a mark #}
SELECT
    {{ keys | idents('a') }},
    a.code,
    {% if promise.matching %}
    a.people_in_class,
    {% endif %}
    {% if 'named' in model.criterion.figures %}
    CASE WHEN r.named THEN a.rows_with_value ELSE 0 END AS rows_with_named_value,
    {% endif %}
    {% if 'share' in model.criterion.figures %}
    a.rows_with_value / CAST(
        SUM(a.rows_with_value) OVER (PARTITION BY {{ keys | idents('a') }}) AS DOUBLE
    ) AS share,
    {% endif %}
    {% if 'place' in model.criterion.figures %}
    ROW_NUMBER() OVER (
        PARTITION BY {{ keys | idents('a') }} ORDER BY a.rows_with_value DESC NULLS LAST
    ) AS place,
    {% endif %}
    {% if 'position' in model.criterion.figures %}
    r.place AS position,
    {% endif %}
    {% if 'number' in model.criterion.figures %}
    r.x,
    r.width,
    {% endif %}
    {% if 'table_share' in model.criterion.figures %}
    COALESCE(r.share, 0) AS table_share,
    {% endif %}
    {% if 'table_values' in model.criterion.figures %}
    r.many AS table_values,
    {% endif %}
    a.rows_with_value
FROM (
    SELECT
        {{ keys | idents('t') }},
        t.x{{ model.index | integer }} AS code,
        {% if promise.matching %}
        MAX(t.own_people) AS people_in_class,
        {% endif %}
        CAST(SUM(t.n) AS BIGINT) AS rows_with_value
    FROM {{ table | ident }} AS t
    WHERE t.n > 0
    GROUP BY {{ keys | idents('t') }}, t.x{{ model.index | integer }}
) AS a
LEFT JOIN {{ ('reference_' ~ model.index) | ident }} AS r ON r.code = a.code
