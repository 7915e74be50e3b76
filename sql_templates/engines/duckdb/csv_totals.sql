{# Whether a row of a table may be the total of the others.
   grain: one row
   in: table, labels (fields of text of which the first may name a total: at most one), words (that
       name a total), sums (fields of numbers)
   out: (rows; rows whose label is such a word; for each field of numbers, whether the greatest is
       the sum of all others, none of which is negative) #}
SELECT
    COUNT(*),
    {% for field in labels %}
    COUNT(*) FILTER (WHERE LOWER(TRIM(t.{{ field | ident }}, ' :.')) IN ({{ words | literals }}))
    {%- else %}
    0
    {%- endfor %}
    {% for field in sums %}
    , MAX(t.{{ field | ident }}) > 0 AND MIN(t.{{ field | ident }}) >= 0
    AND ABS(SUM(CAST(t.{{ field | ident }} AS DOUBLE)) - 2 * MAX(CAST(t.{{ field | ident }} AS DOUBLE)))
        <= 0.000000001 * MAX(CAST(t.{{ field | ident }} AS DOUBLE))
    {% endfor %}
FROM {{ table | ident }} AS t
