{# What the lines of a hierarchy are.
   grain: one row
   in: table (v0 …, place), levels, in_file (whether an empty v0 is NULL), pattern (a regular
       expression of the texts of values that every engine casts alike, or none), moments (whether
       those values are dates or times)
   out: (lines; distinct leaves; lines of NULL; labels of the top level; the least of them; leaves
       that are no such values) #}
SELECT
    COUNT(*) AS lines,
    COUNT(DISTINCT p.v0) AS leaves,
    {% if in_file %}COUNT(*) FILTER (WHERE p.v0 = ''){% else %}0{% endif %} AS nulls,
    COUNT(DISTINCT p.v{{ (levels - 1) | integer }}) AS tops,
    MIN(p.v{{ (levels - 1) | integer }}) AS top,
    {% if pattern is none %}
    0 AS strange
    {% else %}
    COUNT(*) FILTER (WHERE {% if in_file %}p.v0 <> '' AND {% endif %}NOT (
        REGEXP_FULL_MATCH(p.v0, {{ pattern | literal }})
        {% if moments %}
        AND TRY_CAST(p.v0 AS TIMESTAMP) IS NOT NULL AND NOT STARTS_WITH(p.v0, '0000')
        {% endif %}
    )) AS strange
    {% endif %}
FROM {{ table | ident }} AS p
