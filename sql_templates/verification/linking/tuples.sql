{# The released rows by all that is compared: those that are not masked, or the masked ones.
   grain: one row per distinct combination
   in: judged_rows(v<index>, y<number>, masked, n), judged_values_<j>, labels, kept and buckets (see
       coded_released), facets (the columns made), masked (0 or 1), made (the new table's name)
   out: table made(id: from 1, v<facet>, n) #}
{% from 'verification/linking/macros.sql' import coded_released %}
CREATE TABLE {{ made | ident }} AS
SELECT
    ROW_NUMBER() OVER (ORDER BY {{ facets | listed('c.@ NULLS FIRST') }}) AS id,
    {{ facets | idents('c') }},
    CAST(SUM(c.n) AS BIGINT) AS n
FROM (
    SELECT
        {{ coded_released(labels, kept, buckets) }}
    WHERE r.masked = {{ masked | integer }}
) AS c
GROUP BY {{ facets | idents('c') }}
