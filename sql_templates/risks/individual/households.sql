{# The risk of people who have several rows: that at least one of them is re-identified, 1 less the
   product of 1 - risk over them. Rows without a person are each a person of its own, left aside.
   grain: one row
   in: what risks/individual/classes takes, fraction (of the population that the table is, where
       there is no weight), people (the column that tells people apart, as star/value takes it)
   out: (people, the sum of their risks, the highest, people with a risk above) #}
{% from 'risks/individual/macros.sql' import individual %}
SELECT
    COUNT(*) AS people,
    SUM(h.risk) AS expected,
    MAX(h.risk) AS highest,
    COUNT(*) FILTER (WHERE h.risk > {{ above | number }}) AS above
FROM (
    SELECT
        CASE
            WHEN MAX(a.risk) >= 1 THEN 1.0e0
            ELSE 1.0e0 - EXP(SUM(a.n * LN(CASE WHEN a.risk < 1 THEN 1.0e0 - a.risk ELSE 1.0e0 END)))
        END AS risk
    FROM (
        SELECT
            r.person,
            r.n,
            {{ individual() }} AS risk
        FROM {% if matched %}{{ matched | ident }}{% else %}(
            SELECT
                {{ people | value('s') }} AS person,
                1 AS n,
                COUNT(*) OVER (
                    {% if columns %}PARTITION BY {{ columns | listed('@(s)') }}{% endif %}
                ) AS f,
            {% if weight %}
                COUNT(*) OVER (
                    {% if columns %}PARTITION BY {{ columns | listed('@(s)') }}{% endif %}
                ) / SUM(CAST(s.{{ weight | ident }} AS DOUBLE)) OVER (
                    {% if columns %}PARTITION BY {{ columns | listed('@(s)') }}{% endif %}
                ) AS p
            {% else %}
                CAST({{ fraction | number }} AS DOUBLE) AS p
            {% endif %}
            FROM {{ table | ident }} AS s
            {% if masked %}
            WHERE NOT ({{ masked | each("COALESCE(s.@, '') = '*'", ' AND ') }})
            {% endif %}
        ){% endif %} AS r
        WHERE r.person IS NOT NULL
    ) AS a
    GROUP BY a.person
) AS h
