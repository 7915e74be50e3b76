{# What is released of each part: the value where there is one only, else the ends of the interval, the set, or the node of the
   hierarchy; where an interval would hold NULL (or no number), the value at the highest level; nothing where it is withheld.
   grain: one row per part
   in: final_parts, places, part_sets (part, attribute, leaves, present, words), part_nodes (part, attribute, level, code), nodes,
       dim_<index>, attributes, forms, withheld (indices of attributes that have withheld cells), table
   out: table <table>(grp, n, v<i>, leaves<i>, present<i>, lo<i> and hi<i> where there are bounds) #}
CREATE TABLE {{ table | ident }} AS
SELECT
    p.part AS grp,
    p.n
{% for a in attributes %}
{% set i = a.index %}
    {% if forms[i] == 'set' %}
    , CASE WHEN p.hi{{ i | integer }} = p.lo{{ i | integer }} THEN a{{ i | integer }}.label ELSE e{{ i | integer }}.words END AS v{{ i | integer }}
    , CASE WHEN p.hi{{ i | integer }} = p.lo{{ i | integer }} THEN a{{ i | integer }}.leaves ELSE e{{ i | integer }}.leaves END AS leaves{{ i | integer }}
    , CASE WHEN p.hi{{ i | integer }} = p.lo{{ i | integer }} THEN a{{ i | integer }}.present ELSE e{{ i | integer }}.present END AS present{{ i | integer }}
    {% if a.bounds_type %}
    , CASE WHEN p.hi{{ i | integer }} = p.lo{{ i | integer }} THEN d{{ i | integer }}.lo{{ a.min_level | integer }} END AS lo{{ i | integer }}
    , CASE WHEN p.hi{{ i | integer }} = p.lo{{ i | integer }} THEN d{{ i | integer }}.hi{{ a.min_level | integer }} END AS hi{{ i | integer }}
    {% endif %}
    {% elif forms[i] == 'node' %}
    {% for column in ('v', 'leaves', 'present') + (('lo', 'hi') if a.bounds_type else ()) %}
    , CASE
        WHEN p.hi{{ i | integer }} = p.lo{{ i | integer }} THEN {% if column == 'v' %}a{{ i | integer }}.label{% elif column in ('lo', 'hi') %}d{{ i | integer }}.{{ (column ~ a.min_level) | ident }}{% else %}a{{ i | integer }}.{{ column | ident }}{% endif +%}
    {% for level in range(a.min_level + 1, a.max_level + 1) %}
        WHEN e{{ i | integer }}.level = {{ level | integer }} THEN {% if column in ('leaves', 'present') %}t{{ i | integer }}.{{ column | ident }}{% else %}f{{ i | integer }}.{{ (column ~ level) | ident }}{% endif +%}
    {% endfor %}
    END AS {{ (column ~ i) | ident }}
    {% endfor %}
    {% else %}
    , CASE
        WHEN p.hi{{ i | integer }} = p.lo{{ i | integer }} THEN a{{ i | integer }}.label
        WHEN a{{ i | integer }}.x IS NULL OR b{{ i | integer }}.x IS NULL THEN d{{ i | integer }}.v{{ a.max_level | integer }}
        ELSE '[' || a{{ i | integer }}.label || ',' || b{{ i | integer }}.label || ']'
    END AS v{{ i | integer }}
    , CASE WHEN p.hi{{ i | integer }} > p.lo{{ i | integer }} AND (a{{ i | integer }}.x IS NULL OR b{{ i | integer }}.x IS NULL) THEN t{{ i | integer }}.leaves ELSE p.hi{{ i | integer }} - p.lo{{ i | integer }} + 1 END AS leaves{{ i | integer }}
    , CASE WHEN p.hi{{ i | integer }} > p.lo{{ i | integer }} AND (a{{ i | integer }}.x IS NULL OR b{{ i | integer }}.x IS NULL) THEN t{{ i | integer }}.present ELSE p.hi{{ i | integer }} - p.lo{{ i | integer }} + 1 END AS present{{ i | integer }}
    {% if a.bounds_type %}
    , CASE WHEN p.hi{{ i | integer }} = p.lo{{ i | integer }} OR (a{{ i | integer }}.x IS NOT NULL AND b{{ i | integer }}.x IS NOT NULL) THEN d{{ i | integer }}.lo0 END AS lo{{ i | integer }}
    , CASE WHEN p.hi{{ i | integer }} = p.lo{{ i | integer }} OR (a{{ i | integer }}.x IS NOT NULL AND b{{ i | integer }}.x IS NOT NULL) THEN f{{ i | integer }}.hi0 END AS hi{{ i | integer }}
    {% else %}
    , d{{ i | integer }}.value AS lo{{ i | integer }}
    , f{{ i | integer }}.value AS hi{{ i | integer }}
    {% endif %}
    {% endif %}
{% endfor %}
FROM final_parts AS p
{% for a in attributes %}
{% set i = a.index %}
JOIN places AS a{{ i | integer }} ON a{{ i | integer }}.attribute = {{ i | integer }} AND a{{ i | integer }}.place = p.lo{{ i | integer }}
JOIN places AS b{{ i | integer }} ON b{{ i | integer }}.attribute = {{ i | integer }} AND b{{ i | integer }}.place = p.hi{{ i | integer }}
{% if i in withheld %}LEFT {% endif %}JOIN dim_{{ i | integer }} AS d{{ i | integer }} ON d{{ i | integer }}.code = a{{ i | integer }}.code
{% if forms[i] == 'node' %}
LEFT JOIN part_nodes AS e{{ i | integer }} ON e{{ i | integer }}.attribute = {{ i | integer }} AND e{{ i | integer }}.part = p.part
LEFT JOIN dim_{{ i | integer }} AS f{{ i | integer }} ON f{{ i | integer }}.code = e{{ i | integer }}.code
LEFT JOIN nodes AS t{{ i | integer }}
    ON t{{ i | integer }}.attribute = {{ i | integer }}
    AND t{{ i | integer }}.level = e{{ i | integer }}.level
    AND t{{ i | integer }}.code = CASE e{{ i | integer }}.level
    {% for level in range(a.min_level + 1, a.max_level + 1) %}
        WHEN {{ level | integer }} THEN f{{ i | integer }}.g{{ level | integer }}
    {% endfor %}
    END
{% else %}
{% if i in withheld %}LEFT {% endif %}JOIN dim_{{ i | integer }} AS f{{ i | integer }} ON f{{ i | integer }}.code = b{{ i | integer }}.code
{% endif %}
{% if forms[i] == 'set' %}
LEFT JOIN part_sets AS e{{ i | integer }} ON e{{ i | integer }}.attribute = {{ i | integer }} AND e{{ i | integer }}.part = p.part
{% elif forms[i] == 'range' %}
{% if i in withheld %}LEFT {% endif %}JOIN nodes AS t{{ i | integer }} ON t{{ i | integer }}.attribute = {{ i | integer }} AND t{{ i | integer }}.level = {{ a.max_level | integer }} AND t{{ i | integer }}.code = d{{ i | integer }}.g{{ a.max_level | integer }}
{% endif %}
{% endfor %}
