{# How often each value of a column is in the source, and in the release, where a label counts for
   all values that it covers, in equal parts.
   grain: one row per value
   in: source, a (coded column), covered (whether the release has labels: weights_<index>(label, n),
       covers_<index>, domain_<index>), counted (columns of released tables that have values
       themselves: each a relation with the column, by and the column that counts its rows or none)
   out: table seen_<index>(value, source, released) #}
CREATE TABLE seen_# AS
SELECT
    u.value,
    CAST(SUM(u.source) AS BIGINT) AS source,
    CAST(SUM(u.released) AS DOUBLE) AS released
FROM (
    SELECT {{ a | value('s') }} AS value, 1 AS source, CAST(0 AS DOUBLE) AS released
    FROM {{ source | ident }} AS s
    {% if covered %}
    UNION ALL
    SELECT d#.value, 0 AS source,
        CAST(w#.n AS DOUBLE) / CAST(z#.size AS DOUBLE) AS released
    FROM covers_# AS c#
    JOIN weights_# AS w# ON w#.label = c#.label
    JOIN (
        SELECT v#.label, COUNT(*) AS size FROM covers_# AS v# GROUP BY v#.label
    ) AS z# ON z#.label = c#.label
    JOIN domain_# AS d# ON d#.code = c#.code
    {% endif %}
    {% for each in counted %}
    UNION ALL
    SELECT {{ each.column | value('r') }} AS value, 0 AS source,
        {% if each.by %}
        CAST(r.{{ each.by | ident }} AS DOUBLE) AS released
        {% else %}
        CAST(1 AS DOUBLE) AS released
        {% endif %}
    FROM {{ each.table | ident }} AS r
    {% endfor %}
) AS u
GROUP BY u.value
