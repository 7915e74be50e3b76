{# Whether some of the last rows of a file may be totals of the others.
   grain: one row
   in: table (in the file's order), rows (how many there are), most (rows at the beginning that are
       compared), last (rows at the end whose names are looked at), labels (fields of text that may
       name a total), words (that name a total), sums (fields of numbers)
   out: (rows at the beginning, and at the end, of which a label is such a word; for each field of
       numbers, whether the last row has at least the sum of the first rows, none of which is
       negative) #}
SELECT
    COUNT(*) FILTER (WHERE t.named AND t.place < {{ (rows - last) | integer }}),
    COUNT(*) FILTER (WHERE t.named AND t.place >= {{ (rows - last) | integer }})
    {% for field in sums %}
    , MAX(t.{{ field | ident }}) FILTER (WHERE t.place = {{ (rows - 1) | integer }}) > 0
    AND MIN(t.{{ field | ident }}) >= 0
    AND MAX(t.{{ field | ident }}) FILTER (WHERE t.place = {{ (rows - 1) | integer }}) * 1.000000001
        >= SUM(CAST(t.{{ field | ident }} AS DOUBLE))
            FILTER (WHERE t.place < {{ (rows - 1) | integer }})
    {% endfor %}
FROM (
    SELECT
    {% for field in sums %}
        r.{{ field | ident }},
    {% endfor %}
        r.rowid AS place,
        {% for field in labels %}
        COALESCE(LOWER(TRIM(r.{{ field | ident }}, ' :.')) IN ({{ words | literals }}), FALSE) OR
        {% endfor %}
        FALSE AS named
    FROM {{ table | ident }} AS r
    WHERE r.rowid < {{ most | integer }} OR r.rowid >= {{ (rows - last) | integer }}
) AS t
