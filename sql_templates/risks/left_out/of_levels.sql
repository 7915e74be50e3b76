{# The rows of the source that a full-domain generalization suppresses.
   grain: one row per suppressed row, masked or left out
   in: source, attributes, dim_<index>, levels {index: level}, kept_classes (c1 …, ok), kept
       (columns
       that are kept as they are, as star/value takes them)
   out: table left_out_rows(c<index>: the code of each attribute's value at its least level,
       v<index> of the kept columns) #}
CREATE TABLE left_out_rows AS
SELECT
    {{ kept | each('@(s) AS v#,') }}
{% for a in attributes %}
    COALESCE(d#.g{{ a.min_level | integer }}, 0) AS c#{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ source | ident }} AS s
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
LEFT JOIN {{ kept_classes | ident }} AS x
    ON x.ok
{% for a in attributes %}
    AND x.c# = COALESCE(d#.g{{ levels[a.index] | integer }}, 0)
{% endfor %}
WHERE x.ok IS NULL
