{# The one scan of the source of statistics: who is in which combination of the dimensions' values.
   grain: one row per combination and person; where nobody is named and contributors are ranked, one
       per row of the source
   in: source, attributes, entity (a column, or none), sums, by_row
   out: table combinations(q<index> in the source's types, e: the person, n: rows, s<index>: sums in
       units of their last digit) #}
{% from 'statistics/macros.sql' import amount %}
CREATE TABLE combinations AS
SELECT
    {{ attributes | each('@(t) AS q#,') }}
    {% if entity %}
    {{ entity | value('t') }} AS e,
    {% endif %}
{% if by_row %}
    {% for m in sums %}
    {{ amount(m, 't') }} AS {{ m | sql('s#') }},
    {% endfor %}
    CAST(1 AS BIGINT) AS n
FROM {{ source | ident }} AS t
{% else %}
    {% for m in sums %}
    CAST(SUM(
        {{ amount(m, 't') }}
    ) AS BIGINT) AS {{ m | sql('s#') }},
    {% endfor %}
    CAST(COUNT(*) AS BIGINT) AS n
FROM {{ source | ident }} AS t
GROUP BY
    {{ attributes | listed('@(t)') }}
    {% if entity %}
    , {{ entity | value('t') }}
    {% endif %}
{% endif %}
