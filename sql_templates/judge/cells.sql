{# The originals: the source's rows by the values of their quasi-identifying columns.
   grain: one row per distinct combination of codes
   in: source, dim_<index>, attributes
   out: table judged_cells(v<index>: code, n) #}
CREATE TABLE judged_cells AS
SELECT
    {{ attributes | each('COALESCE(d#.code, 0) AS v#,') }}
    CAST(COUNT(*) AS BIGINT) AS n
FROM {{ source | ident }} AS s
{% for a in attributes %}
LEFT JOIN dim_{{ a.index | integer }} AS d{{ a.index | integer }}
    ON d{{ a.index | integer }}.value = {% with side = 's' %}{% include 'star/value.sql' %}{% endwith +%}
{% endfor %}
GROUP BY {{ attributes | listed('COALESCE(d#.code, 0)') }}
