{# The values that each class has of a column, by the rows of a release, for anybody to run.
   grain: one row per class and value
   in: table, keys (the columns whose values define the classes), column (the sensitive one), count
       (the column that counts rows: none where each row is one), named (the values that the model
       is about: none for all), days (whether the values are dates, which lie days apart), model,
       mark (see anonsql.verification.plain_sql)
   out: see verification/offence #}
SELECT
    {{ keys | idents('v') }},
    {% if 'named' in model.criterion.figures %}
    {% if named %}
    CASE
        WHEN CAST(v.{{ column | ident }} AS VARCHAR) IN ({{ named | literals }})
        THEN v.{{ ('rows_with_value' ~ mark) | ident }}
        ELSE 0
    END
    {% else %}
    v.{{ ('rows_with_value' ~ mark) | ident }}
    {% endif %}
    AS {{ ('rows_with_named_value' ~ mark) | ident }},
    {% endif %}
    {% if 'share' in model.criterion.figures %}
    CAST(v.{{ ('rows_with_value' ~ mark) | ident }} AS DOUBLE)
        / SUM(v.{{ ('rows_with_value' ~ mark) | ident }})
        OVER (PARTITION BY {{ keys | idents('v') }}) AS {{ ('share' ~ mark) | ident }},
    {% endif %}
    {% if 'place' in model.criterion.figures %}
    ROW_NUMBER() OVER (
        PARTITION BY {{ keys | idents('v') }}
        ORDER BY v.{{ ('rows_with_value' ~ mark) | ident }} DESC NULLS LAST
    ) AS {{ ('place' ~ mark) | ident }},
    {% endif %}
    {% if 'position' in model.criterion.figures %}
    DENSE_RANK() OVER (ORDER BY v.{{ column | ident }} NULLS FIRST)
        AS {{ ('position' ~ mark) | ident }},
    {% endif %}
    {% if 'number' in model.criterion.figures %}
    {% if days %}
    DATE_DIFF('day', DATE '2000-01-01', v.{{ column | ident }}) AS {{ ('x' ~ mark) | ident }},
    DATE_DIFF('day', MIN(v.{{ column | ident }}) OVER (), MAX(v.{{ column | ident }}) OVER ())
        AS {{ ('width' ~ mark) | ident }},
    {% else %}
    v.{{ column | ident }} AS {{ ('x' ~ mark) | ident }},
    MAX(v.{{ column | ident }}) OVER () - MIN(v.{{ column | ident }}) OVER ()
        AS {{ ('width' ~ mark) | ident }},
    {% endif %}
    {% endif %}
    {% if 'table_share' in model.criterion.figures %}
    CAST(
        SUM(v.{{ ('rows_with_value' ~ mark) | ident }})
        OVER (PARTITION BY v.{{ column | ident }}) AS DOUBLE
    ) / SUM(v.{{ ('rows_with_value' ~ mark) | ident }}) OVER ()
        AS {{ ('table_share' ~ mark) | ident }},
    {% endif %}
    {% if 'table_values' in model.criterion.figures %}
    (
        SELECT COUNT(*)
        FROM (
            SELECT w.{{ column | ident }}
            FROM {{ table | ident }} AS w
            GROUP BY w.{{ column | ident }}
        ) AS d
    ) AS {{ ('table_values' ~ mark) | ident }},
    {% endif %}
    v.{{ ('rows_with_value' ~ mark) | ident }}
FROM (
    SELECT
        {{ keys | idents('t') }},
        t.{{ column | ident }},
        {% if count is none %}
        COUNT(*) AS {{ ('rows_with_value' ~ mark) | ident }}
        {% else %}
        SUM(t.{{ count | ident }}) AS {{ ('rows_with_value' ~ mark) | ident }}
        {% endif %}
    FROM {{ table | ident }} AS t
    GROUP BY {{ keys | idents('t') }}, t.{{ column | ident }}
) AS v
