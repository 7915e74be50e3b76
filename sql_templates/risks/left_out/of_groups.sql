{# The rows of the source that are in no group of a method that assigns cells to groups.
   grain: one row per suppressed row, masked or left out
   in: source, or placed when split; assigned(c1 … cn, x<index>, grp, first and last when split),
       attributes, dim_<index>, valued with their values_<index>, kept (columns that are kept as
       they are, as star/value takes them; in placed when split)
   out: table left_out_rows(c<index>: the code of each attribute's value at its least level,
       v<index> of the kept columns) #}
CREATE TABLE left_out_rows AS
{% if split %}
SELECT
    {{ kept | each('@(o) AS v#,') }}
    {{ attributes | listed('o.c#') }}
FROM placed AS o
LEFT JOIN assigned AS p
    ON {{ attributes | each('p.c# = o.c#', ' AND ') }}
    {{ valued | each('AND p.x# = o.x#') }}
    AND o.place BETWEEN p.first AND p.last
WHERE p.grp IS NULL
{% else %}
SELECT
    {{ kept | each('@(s) AS v#,') }}
{% for a in attributes %}
    COALESCE(d#.g{{ a.min_level | integer }}, 0) AS c#{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ source | ident }} AS s
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
{{ valued | each('LEFT JOIN values_# AS w# ON w#.value = @(s)') }}
LEFT JOIN assigned AS p
    ON
{% for a in attributes %}
    p.c# = COALESCE(d#.g{{ a.min_level | integer }}, 0){% if not loop.last %} AND{% endif +%}
{% endfor %}
    {{ valued | each('AND p.x# = COALESCE(w#.code, 0)') }}
WHERE p.grp IS NULL
{% endif %}
