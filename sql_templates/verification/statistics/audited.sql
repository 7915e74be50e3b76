{# The cells of all tables, each once, as they were counted anew, and whether they are hidden: a cell
   that one table shows is shown.
   grain: one row per cell
   in: pairs (recounted and shown tables), attributes (all), columns (of recounted, e among them where
       cells of one person name it), statuses (columns
       of shown: whether a value is hidden, or the value)
   out: table audited(cell: from 0, l<index>, k<index>, the columns) #}
CREATE TABLE audited AS
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY {{ attributes | listed('p.l# NULLS FIRST, p.k# NULLS FIRST') }}) - 1 AS BIGINT) AS cell,
    p.*
FROM (
    SELECT
        {{ attributes | each('o.l#, o.k#,') }}
        {{ columns | listed('MIN(o.@) AS @') }},
        {{ statuses | listed('MIN(o.@) AS @') }}
    FROM (
    {% for pair in pairs %}
        SELECT
            {{ attributes | each('r.l#, r.k#,') }}
            {{ columns | listed('r.@') }},
            {{ statuses | listed('COALESCE(s.@, 0) AS @') }}
        FROM {{ pair[0] | ident }} AS r
        LEFT JOIN {{ pair[1] | ident }} AS s
            ON {{ attributes | each('s.l# = r.l# AND s.k# = r.k#', ' AND ') }}
        {% if not loop.last %}
        UNION ALL
        {% endif %}
    {% endfor %}
    ) AS o
    GROUP BY {{ attributes | listed('o.l#, o.k#') }}
) AS p
