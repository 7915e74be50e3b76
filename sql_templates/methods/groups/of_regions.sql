{# What is released of each group of a method that releases nodes of the hierarchies.
   grain: one row per group
   in: regions(grp, n, l1 … ln: levels, g1 … gn: group codes at those levels), nodes, dim_<index>,
       attributes, table, before (a table with other attributes, or none)
   out: table <table>(grp, n, for each attribute v<i> released label, leaves<i> and present<i> under
       it, lo<i> and hi<i> where it has bounds), the columns of before first #}
CREATE TABLE {{ table | ident }} AS
SELECT
    {% if before %}q.*{% else %}r.grp, r.n{% endif +%}
{% for a in attributes %}
    , CASE r.l#
    {% for level in range(a.min_level, a.max_level + 1) %}
        WHEN {{ level | integer }} THEN d#.v{{ level | integer }}
    {% endfor %}
    END AS v#
    , t#.leaves AS leaves#, t#.present AS present#
    {% if a.bounds_type %}
    {% for bound in ('lo', 'hi') %}
    , CASE r.l#
    {% for level in range(a.min_level, a.max_level + 1) %}
        WHEN {{ level | integer }} THEN d#.{{ (bound ~ level) | ident }}
    {% endfor %}
    END AS {{ (bound ~ a.index) | ident }}
    {% endfor %}
    {% endif %}
{% endfor %}
FROM regions AS r
{% if before %}
JOIN {{ before | ident }} AS q ON q.grp = r.grp
{% endif %}
{% for a in attributes %}
JOIN dim_# AS d# ON d#.code = r.g#
JOIN nodes AS t#
    ON t#.attribute = # AND t#.level = r.l# AND t#.code = r.g#
{% endfor %}
