{# Whether one of the last rows of a file may be the total of the others.
   grain: one row
   in: table (in the file's order), rows (how many there are), most (rows at the beginning that are
       compared), last (rows at the end whose names are looked at), labels (fields of text of which
       the first may name a total: at most one), words (that name a total), sums (fields of numbers)
   out: (rows at the beginning, and at the end, whose label is such a word; for each field of
       numbers, whether the last row has at least the sum of the first rows, none of which is
       negative) #}
SELECT
    {% for field in labels %}
    COUNT(*) FILTER (
        WHERE t.rowid < {{ most | integer }} AND t.rowid < {{ (rows - last) | integer }}
            AND LOWER(TRIM(t.{{ field | ident }}, ' :.')) IN ({{ words | literals }})
    ),
    COUNT(*) FILTER (
        WHERE t.rowid >= {{ (rows - last) | integer }}
            AND LOWER(TRIM(t.{{ field | ident }}, ' :.')) IN ({{ words | literals }})
    )
    {%- else %}
    0, 0
    {%- endfor %}
    {% for field in sums %}
    , MAX(t.{{ field | ident }}) FILTER (WHERE t.rowid = {{ (rows - 1) | integer }}) > 0
    AND MIN(t.{{ field | ident }}) >= 0
    AND MAX(t.{{ field | ident }}) FILTER (WHERE t.rowid = {{ (rows - 1) | integer }}) * 1.000000001
        >= SUM(CAST(t.{{ field | ident }} AS DOUBLE))
            FILTER (WHERE t.rowid < {{ (rows - 1) | integer }})
    {% endfor %}
FROM {{ table | ident }} AS t
WHERE t.rowid < {{ most | integer }} OR t.rowid >= {{ (rows - last) | integer }}
