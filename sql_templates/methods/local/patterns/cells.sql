{# The integer-coded fact table (see star/cells) of rows whose cells are withheld in part: what is
   withheld, or came to be when patterns were widened, has the code -1. Rows of patterns that are
   suppressed are not there.
   grain: one row per distinct combination of codes
   in: combinations, patterns(pattern, lent, part, f1 …), dim_<index>, attributes, semi
   out: table cells(c1 … cn, part: the number of the pattern, h<index>: 1 where a cell is withheld
       that is not sensitive, n) #}
{% from 'methods/local/patterns/macros.sql' import code %}
CREATE TABLE cells AS
SELECT
{% for a in attributes %}
    {{ code(a, semi, 't') }} AS c#,
{% endfor %}
    p.part,
    {{ semi | each('MAX(CASE WHEN p.f# = 1 AND t.w# = 0 THEN 1 ELSE 0 END) AS h#,') }}
    CAST(SUM(t.n) AS BIGINT) AS n
FROM combinations AS t
JOIN patterns AS p ON p.pattern = t.pattern AND p.lent = t.lent
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = t.q#') }}
GROUP BY
{% for a in attributes %}
    {{ code(a, semi, 't') }},
{% endfor %}
    p.part
