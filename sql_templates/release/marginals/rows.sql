{# The rows of the source that are released, by the codes of their values.
   grain: one row per released row
   in: source, attributes, dim_<index>, left_out (whether some rows are), levels and kept_classes (of
       a full-domain generalization: see release/rows; else none), valued with their values_<index>
       and assigned (see release/grouped)
   out: table marginal_rows(c<index>: codes) #}
CREATE TABLE marginal_rows AS
SELECT {{ attributes | each('COALESCE(d#.g0, 0) AS c#', ', ') }}
FROM {{ source | ident }} AS s
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
{% if left_out and kept_classes %}
JOIN {{ kept_classes | ident }} AS x
    ON x.ok
{% for a in attributes %}
    AND x.c# = COALESCE(d#.g{{ levels[a.index] | integer }}, 0)
{% endfor %}
{% elif left_out %}
{{ valued | each('LEFT JOIN values_# AS w# ON w#.value = @(s)') }}
JOIN assigned AS p
    ON {{ attributes | each('p.c# = COALESCE(d#.g0, 0)', ' AND ') }}
    {{ valued | each('AND p.x# = COALESCE(w#.code, 0)') }}
{% endif %}
