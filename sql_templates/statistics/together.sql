{# Cells that were counted in portions, as one table: engines allow a few hundred terms of a UNION.
   grain: one row per cell
   in: portions (tables), name
   out: the table #}
CREATE TABLE {{ name | ident }} AS
{% for portion in portions %}
SELECT t.* FROM {{ portion | ident }} AS t
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
