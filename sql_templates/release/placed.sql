{# The source's rows with the codes of their cells and, where cells are split between groups, their place among the rows
   of their cell: in the order of a salted digest, so that rows that are alike in all that is kept fall where they may.
   grain: one row per source row
   in: source, released (see release/rows), dim_<index>, attributes, split (whether cells are), salt
   out: a SELECT of (c1 … cn, for each column kept as it is r<position>, place when split) #}
{% if split %}
SELECT t.*, ROW_NUMBER() OVER (
    PARTITION BY {% for a in attributes %}t.c{{ a.index | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
    ORDER BY MD5({{ salt | literal }} || t.kept || CAST(t.copy AS VARCHAR)) NULLS FIRST, t.kept NULLS FIRST
) AS place
FROM (
    SELECT k.*, ROW_NUMBER() OVER (
        PARTITION BY {% for a in attributes %}k.c{{ a.index | integer }}, {% endfor %}k.kept
        ORDER BY k.kept NULLS FIRST
    ) AS copy
    FROM (
{% endif %}
SELECT
{% for r in released if r.kind == 'kept' %}
    {% if r.column.type != r.type %}CAST(s.{{ r.column.name | ident }} AS {{ r.type | sql_type }}){% else %}s.{{ r.column.name | ident }}{% endif %} AS r{{ r.position | integer }},
{% endfor %}
{% if split %}
    {% for r in released if r.kind == 'kept' %}COALESCE(CAST(LENGTH(CAST(s.{{ r.column.name | ident }} AS VARCHAR)) AS VARCHAR) || ':' || CAST(s.{{ r.column.name | ident }} AS VARCHAR), '-') || {% endfor %}'' AS kept,
{% endif %}
{% for a in attributes %}
    COALESCE(d{{ a.index | integer }}.g{{ a.min_level | integer }}, 0) AS c{{ a.index | integer }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ source | ident }} AS s
{% for a in attributes %}
LEFT JOIN dim_{{ a.index | integer }} AS d{{ a.index | integer }}
    ON d{{ a.index | integer }}.value = {% with side = 's' %}{% include 'star/value.sql' %}{% endwith +%}
{% endfor %}
{% if split %}
    ) AS k
) AS t
{%- endif %}
