{# The source's rows by person and by what their quasi-identifying values fit in a release.
   grain: one row per person, combination of codes, and distinct kept values
   in: source, attributes, dim_<index>, people_cells(v<index>: code, cell, part: number of the
       component of the release that it fits), person (the column that tells people apart, as an
       attribute), kept [(number, column, type to cast to or none, whether it is text then)]
   out: table people_rows(cell, part, person: a number, nobody: 1 where the column is NULL, y<j>:
       the kept value, n) #}
{% from 'verification/attack/macros.sql' import kept_value %}
CREATE TABLE people_rows AS
SELECT
    g.cell,
    g.part,
    DENSE_RANK() OVER (ORDER BY g.who NULLS FIRST) AS person,
    CASE WHEN g.who IS NULL THEN 1 ELSE 0 END AS nobody,
{% for j, column, cast, text in kept %}
    {{ j | sql('g.y#,') }}
{% endfor %}
    g.n
FROM (
    SELECT
        c.cell,
        c.part,
        {{ person | value('r') }} AS who,
    {% for j, column, cast, text in kept %}
        {{ kept_value(column, cast, text) }} AS y{{ j | integer }},
    {% endfor %}
        CAST(COUNT(*) AS BIGINT) AS n
    FROM {{ source | ident }} AS r
    {{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(r)') }}
    JOIN people_cells AS c ON {{ attributes | each('c.v# = COALESCE(d#.code, 0)', ' AND ') }}
    GROUP BY
        c.cell,
        c.part,
        {{ person | value('r') }}
    {% for j, column, cast, text in kept %}
        , {{ kept_value(column, cast, text) }}
    {% endfor %}
) AS g
