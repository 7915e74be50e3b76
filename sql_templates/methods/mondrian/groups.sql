{# What is released of each part: the value where there is one only, else the ends of the interval,
   the set, or the node of the hierarchy; where an interval would hold NULL (or no number), the
   value at the highest level; nothing where it is withheld.
   grain: one row per part
   in: final_parts, places, part_sets (part, attribute, leaves, present, words), part_nodes (part,
       attribute, level, code), nodes, dim_<index>, attributes, forms, withheld (indices of
       attributes that have withheld cells), table, before (a table with other attributes, or none)
   out: table <table>(grp, n, v<i>, leaves<i>, present<i>, lo<i> and hi<i> where there are bounds),
       the columns of before first #}
CREATE TABLE {{ table | ident }} AS
SELECT
    {% if before %}q.*{% else %}p.part AS grp, p.n{% endif +%}
{% for a in attributes %}
    {% if forms[a.index] == 'set' %}
    , CASE WHEN p.hi# = p.lo# THEN a#.label ELSE e#.words END AS v#
    , CASE WHEN p.hi# = p.lo# THEN a#.leaves ELSE e#.leaves END AS leaves#
    , CASE WHEN p.hi# = p.lo# THEN a#.present ELSE e#.present END AS present#
    {% if a.bounds_type %}
    , CASE WHEN p.hi# = p.lo# THEN d#.lo{{ a.min_level | integer }} END AS lo#
    , CASE WHEN p.hi# = p.lo# THEN d#.hi{{ a.min_level | integer }} END AS hi#
    {% endif %}
    {% elif forms[a.index] == 'node' %}
    {% for column in ('v', 'leaves', 'present') + (('lo', 'hi') if a.bounds_type else ()) %}
    , CASE
        {% if column == 'v' %}
        WHEN p.hi# = p.lo# THEN a#.label
        {% elif column in ('lo', 'hi') %}
        WHEN p.hi# = p.lo# THEN d#.{{ (column ~ a.min_level) | ident }}
        {% else %}
        WHEN p.hi# = p.lo# THEN a#.{{ column | ident }}
        {% endif %}
    {% for level in range(a.min_level + 1, a.max_level + 1) %}
        {% if column in ('leaves', 'present') %}
        WHEN e#.level = {{ level | integer }} THEN t#.{{ column | ident }}
        {% else %}
        WHEN e#.level = {{ level | integer }} THEN f#.{{ (column ~ level) | ident }}
        {% endif %}
    {% endfor %}
    END AS {{ (column ~ a.index) | ident }}
    {% endfor %}
    {% else %}
    , CASE
        WHEN p.hi# = p.lo# THEN a#.label
        WHEN a#.x IS NULL OR b#.x IS NULL THEN d#.v{{ a.max_level | integer }}
        ELSE '[' || a#.label || ',' || b#.label || ']'
    END AS v#
    , CASE WHEN p.hi# > p.lo# AND (a#.x IS NULL OR b#.x IS NULL)
        THEN t#.leaves ELSE p.hi# - p.lo# + 1 END AS leaves#
    , CASE WHEN p.hi# > p.lo# AND (a#.x IS NULL OR b#.x IS NULL)
        THEN t#.present ELSE p.hi# - p.lo# + 1 END AS present#
    {% if a.bounds_type %}
    , CASE WHEN p.hi# = p.lo# OR (a#.x IS NOT NULL AND b#.x IS NOT NULL)
        THEN d#.lo0 END AS lo#
    , CASE WHEN p.hi# = p.lo# OR (a#.x IS NOT NULL AND b#.x IS NOT NULL)
        THEN f#.hi0 END AS hi#
    {% else %}
    , d#.value AS lo#, f#.value AS hi#
    {% endif %}
    {% endif %}
{% endfor %}
FROM final_parts AS p
{% if before %}
JOIN {{ before | ident }} AS q ON q.grp = p.part
{% endif %}
{% for a in attributes %}
JOIN places AS a# ON a#.attribute = # AND a#.place = p.lo#
JOIN places AS b# ON b#.attribute = # AND b#.place = p.hi#
{% if a.index in withheld %}LEFT {% endif %}JOIN dim_# AS d# ON d#.code = a#.code
{% if forms[a.index] == 'node' %}
LEFT JOIN part_nodes AS e# ON e#.attribute = # AND e#.part = p.part
LEFT JOIN dim_# AS f# ON f#.code = e#.code
LEFT JOIN nodes AS t#
    ON t#.attribute = # AND t#.level = e#.level AND t#.code = CASE e#.level
    {% for level in range(a.min_level + 1, a.max_level + 1) %}
        WHEN {{ level | integer }} THEN f#.g{{ level | integer }}
    {% endfor %}
    END
{% else %}
{% if a.index in withheld %}LEFT {% endif %}JOIN dim_# AS f# ON f#.code = b#.code
{% endif %}
{% if forms[a.index] == 'set' %}
LEFT JOIN part_sets AS e# ON e#.attribute = # AND e#.part = p.part
{% elif forms[a.index] == 'range' %}
{% if a.index in withheld %}LEFT {% endif %}JOIN nodes AS t#
    ON t#.attribute = #
    AND t#.level = {{ a.max_level | integer }}
    AND t#.code = d#.g{{ a.max_level | integer }}
{% endif %}
{% endfor %}
