{# The marked rows, counted by their quasi-identifying cells and by what is withheld of them.
   grain: one row per distinct combination
   in: marked, attributes, semi (the semi-sensitive attributes)
   out: table combinations(q1 … qn, w<index> of the semi-sensitive, pattern: their bits as one
       number, lent, n) #}
{% from 'methods/local/patterns/macros.sql' import pattern %}
CREATE TABLE combinations AS
SELECT
    {{ attributes | each('m.q#,') }}
    {{ semi | each('m.w#,') }}
    {{ pattern(semi) }} AS pattern,
    m.lent,
    CAST(COUNT(*) AS BIGINT) AS n
FROM marked AS m
GROUP BY {{ attributes | each('m.q#,') }} {{ semi | each('m.w#,') }} m.lent
