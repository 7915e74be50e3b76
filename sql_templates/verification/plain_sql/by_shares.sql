{# Classes that break a criterion of how often single values occur in them, for anybody to run on a
   release. The block broken, which the criterion gives, is the condition, over s: a value of a
   class, share of the class's rows, table_share of the table's.
   grain: one row per such class
   in: table, keys (the columns whose values define the classes), column (the sensitive one), count
       (the column that counts rows: none where each row is one), mark (see
       anonsql.verification.plain_sql), model, slack (share of the source's rows that are not in the
       release), tolerance
   out: (keys, rows_in_class) #}
SELECT
    {{ keys | idents('s') }},
    SUM(s.{{ ('rows_with_value' ~ mark) | ident }}) AS {{ ('rows_in_class' ~ mark) | ident }}
FROM (
    SELECT
        {{ keys | idents('v') }},
        v.{{ column | ident }},
        v.{{ ('rows_with_value' ~ mark) | ident }},
        CAST(v.{{ ('rows_with_value' ~ mark) | ident }} AS DOUBLE)
            / SUM(v.{{ ('rows_with_value' ~ mark) | ident }})
            OVER (PARTITION BY {{ keys | idents('v') }}) AS {{ ('share' ~ mark) | ident }},
        CAST(
            SUM(v.{{ ('rows_with_value' ~ mark) | ident }})
            OVER (PARTITION BY v.{{ column | ident }}) AS DOUBLE
        ) / SUM(v.{{ ('rows_with_value' ~ mark) | ident }}) OVER ()
            AS {{ ('table_share' ~ mark) | ident }},
        ROW_NUMBER() OVER (
            PARTITION BY {{ keys | idents('v') }}
            ORDER BY v.{{ ('rows_with_value' ~ mark) | ident }} DESC NULLS LAST
        ) AS {{ ('place' ~ mark) | ident }}
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
) AS s
GROUP BY {{ keys | idents('s') }}
HAVING
    {% block broken scoped %}{% endblock %}
