{# The cells of all tables, each once, as they were counted anew, and whether they are hidden: a cell
   that one table shows is shown.
   grain: one row per cell
   in: pairs (recounted and shown tables), joined (recounted tables that are not published),
       attributes (all), columns (of recounted, e among them where cells of one person name it),
       statuses (columns of shown: h<position>, whether a value is hidden, b<position>, the value, and w<position>,
       whether it is waived)
   out: table audited(cell: from 0, l<index>, k<index>, the columns, u: 1 where no table has it) #}
CREATE TABLE audited AS
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY {{ attributes | listed('p.l# NULLS FIRST, p.k# NULLS FIRST') }}) - 1 AS BIGINT) AS cell,
    p.*
FROM (
    SELECT
        {{ attributes | each('o.l#, o.k#,') }}
        {{ columns | listed('MIN(o.@) AS @') }},
        {{ statuses | listed('COALESCE(MIN(o.@), 0) AS @') }},
        MIN(o.u) AS u
    FROM (
    {% for pair in pairs %}
        SELECT
            {{ attributes | each('r.l#, r.k#,') }}
            {{ columns | listed('r.@') }},
            {{ statuses | listed('COALESCE(s.@, 0) AS @') }},
            CAST(0 AS BIGINT) AS u
        FROM {{ pair[0] | ident }} AS r
        LEFT JOIN {{ pair[1] | ident }} AS s
            ON {{ attributes | each('s.l# = r.l# AND s.k# = r.k#', ' AND ') }}
        {% if not loop.last or joined %}
        UNION ALL
        {% endif %}
    {% endfor %}
    {% for name in joined %}
        SELECT
            {{ attributes | each('r.l#, r.k#,') }}
            {{ columns | listed('r.@') }},
        {% for status in statuses %}
            CAST({% if status[0] == 'h' %}1{% else %}NULL{% endif %} AS BIGINT) AS {{ status | ident }},
        {% endfor %}
            CAST(1 AS BIGINT) AS u
        FROM {{ name | ident }} AS r
        {% if not loop.last %}
        UNION ALL
        {% endif %}
    {% endfor %}
    ) AS o
    GROUP BY {{ attributes | listed('o.l#, o.k#') }}
) AS p
