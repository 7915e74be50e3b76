{# The combinations of values of a table, of each person where people are told apart, and which of
   their values are NULL.
   grain: one row per combination (and person)
   in: what risks/individual/classes takes; fraction (of the population that the table is, where
       there is no weight), people (the column that tells people apart, as star/value takes it, or
       none)
   out: table risk_cells(cell: its number, person: NULL without people, n: rows, members: what they
       stand for, pattern: a bit for each column that is NULL, v<position>: its values) #}
CREATE TABLE risk_cells AS
SELECT
    ROW_NUMBER() OVER () AS cell,
    {% if people %}g.person{% else %}CAST(NULL AS BIGINT){% endif %} AS person,
    g.n,
    g.members,
    CAST(0 AS BIGINT)
    {% for _ in columns %}
    + CASE WHEN g.v{{ loop.index | integer }} IS NULL
        THEN {{ (2 ** loop.index0) | integer }} ELSE 0 END
    {% endfor %}
        AS pattern,
    {{ columns | listed('g.v$') }}
FROM (
    SELECT
        {{ columns | each('@(s) AS v$,') }}
        {% if people %}
        {{ people | value('s') }} AS person,
        {% endif %}
        {% if weight %}
        SUM(CAST(s.{{ weight | ident }} AS DOUBLE)) AS members,
        {% else %}
        COUNT(*) / CAST({{ fraction | number }} AS DOUBLE) AS members,
        {% endif %}
        COUNT(*) AS n
    FROM {{ table | ident }} AS s
    {% if masked %}
    WHERE NOT ({{ masked | each("COALESCE(s.@, '') = '*'", ' AND ') }})
    {% endif %}
    GROUP BY
        {{ columns | listed('@(s)') }}{% if people %}, {{ people | value('s') }}{% endif +%}
) AS g
