{# The released values of a column.
   grain: one row per value
   in: table (released rows), name, bucket (the column that is known where the value is withheld, or
       none)
   out: (the value as text, and as it is) #}
SELECT DISTINCT CAST(r.{{ name | ident }} AS VARCHAR) AS word, r.{{ name | ident }} AS label
FROM {{ table | ident }} AS r
{% if bucket %}
WHERE r.{{ bucket | ident }} IS NULL
{% endif %}
