{# Where the bins of numbers or dates begin: the values themselves where there are no more than
   bins, else quantiles of the rows; equal values are in one bin, so that some may be empty.
   grain: one row
   in: source (table), a (column), bins (how many)
   out: table useful_cuts_<index>(k<bin> from 2: the least value of the bin, NULL where it is
       empty) #}
CREATE TABLE useful_cuts_# AS
SELECT
{% for bin in range(2, bins + 1) %}
    MIN(CASE WHEN c.bin = {{ bin | integer }} THEN c.value END) AS k{{ bin | integer }}
        {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM (
    SELECT
        v.value,
        CASE WHEN v.distinct_values <= {{ bins | integer }} THEN v.place
            ELSE 1 + CAST(FLOOR(
                CAST({{ bins | integer }} * v.before AS DOUBLE) / v.known
            ) AS BIGINT) END AS bin
    FROM (
        SELECT
            u.value,
            ROW_NUMBER() OVER (ORDER BY u.value NULLS FIRST) AS place,
            COUNT(*) OVER () AS distinct_values,
            CAST(SUM(u.n) OVER (
                ORDER BY u.value NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS BIGINT) - u.n AS before,
            CAST(SUM(u.n) OVER () AS BIGINT) AS known
        FROM (
            SELECT {{ a | value('s') }} AS value, CAST(COUNT(*) AS BIGINT) AS n
            FROM {{ source | ident }} AS s
            WHERE s.{{ a.name | ident }} IS NOT NULL
            GROUP BY {{ a | value('s') }}
        ) AS u
    ) AS v
) AS c
