{# The values of a column that is released as it is.
   grain: one row per value
   in: a (coded column), table
   out: table domain_<index>(code, value); NULL has the code 0 #}
CREATE TABLE domain_{{ a.index | integer }} AS
SELECT
    CASE WHEN u.value IS NULL THEN 0
        ELSE ROW_NUMBER() OVER (ORDER BY u.value NULLS LAST) END AS code,
    u.value
FROM (
    SELECT DISTINCT {{ a | value('s') }} AS value
    FROM {{ table | ident }} AS s
) AS u
