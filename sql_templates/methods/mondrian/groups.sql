{# What is released of each part: the value where there is one only, else the ends of the interval,
   the set, or the node of the hierarchy; where an interval would hold NULL (or no number), the
   value at the highest level; nothing where it is withheld.
   grain: one row per part
   in: final_parts, places, part_sets (part, attribute, leaves, present, words), part_nodes (part,
       attribute, level, code), nodes, dim_<index>, attributes, forms, withheld (indices of
       attributes that have withheld cells), table
   out: table <table>(grp, n, v<i>, leaves<i>, present<i>, lo<i> and hi<i> where there are bounds)
       #}
CREATE TABLE {{ table | ident }} AS
SELECT
    p.part AS grp,
    p.n
{% for a in attributes %}
{% set i = a.index %}
    {% if forms[i] == 'set' %}
    {{ i | sql(', CASE WHEN p.hi# = p.lo# THEN a#.label ELSE e#.words END AS v#') }}
    {{ i | sql(', CASE WHEN p.hi# = p.lo# THEN a#.leaves ELSE e#.leaves END AS leaves#') }}
    {{ i | sql(', CASE WHEN p.hi# = p.lo# THEN a#.present ELSE e#.present END AS present#') }}
    {% if a.bounds_type %}
    , CASE WHEN p.hi{{ i | integer }} = p.lo{{ i | integer }}
        THEN d{{ i | integer }}.lo{{ a.min_level | integer }} END AS lo{{ i | integer }}
    , CASE WHEN p.hi{{ i | integer }} = p.lo{{ i | integer }}
        THEN d{{ i | integer }}.hi{{ a.min_level | integer }} END AS hi{{ i | integer }}
    {% endif %}
    {% elif forms[i] == 'node' %}
    {% for column in ('v', 'leaves', 'present') + (('lo', 'hi') if a.bounds_type else ()) %}
    , CASE
        WHEN p.hi{{ i | integer }} = p.lo{{ i | integer }}
            THEN {% if column == 'v' %}a{{ i | integer }}.label
                {% elif column in ('lo', 'hi') %}
                d{{ i | integer }}.{{ (column ~ a.min_level) | ident }}
                {% else %}
                a{{ i | integer }}.{{ column | ident }}
                {% endif %}
    {% for level in range(a.min_level + 1, a.max_level + 1) %}
        WHEN e{{ i | integer }}.level = {{ level | integer }}
            THEN {% if column in ('leaves', 'present') %}t{{ i | integer }}.{{ column | ident }}
                {% else %}f{{ i | integer }}.{{ (column ~ level) | ident }}{% endif +%}
    {% endfor %}
    END AS {{ (column ~ i) | ident }}
    {% endfor %}
    {% else %}
    , CASE
        {{ i | sql('WHEN p.hi# = p.lo# THEN a#.label') }}
        WHEN a{{ i | integer }}.x IS NULL
            OR b{{ i | integer }}.x IS NULL THEN d{{ i | integer }}.v{{ a.max_level | integer }}
        {{ i | sql("ELSE '[' || a#.label || ',' || b#.label || ']'") }}
    END AS v{{ i | integer }}
    {{ i | sql(', CASE WHEN p.hi# > p.lo# AND (a#.x IS NULL OR b#.x IS NULL)') }}
        {{ i | sql('THEN t#.leaves ELSE p.hi# - p.lo# + 1 END AS leaves#') }}
    {{ i | sql(', CASE WHEN p.hi# > p.lo# AND (a#.x IS NULL OR b#.x IS NULL)') }}
        {{ i | sql('THEN t#.present ELSE p.hi# - p.lo# + 1 END AS present#') }}
    {% if a.bounds_type %}
    {{ i | sql(', CASE WHEN p.hi# = p.lo# OR (a#.x IS NOT NULL AND b#.x IS NOT NULL)') }}
        {{ i | sql('THEN d#.lo0 END AS lo#') }}
    {{ i | sql(', CASE WHEN p.hi# = p.lo# OR (a#.x IS NOT NULL AND b#.x IS NOT NULL)') }}
        {{ i | sql('THEN f#.hi0 END AS hi#') }}
    {% else %}
    {{ i | sql(', d#.value AS lo#, f#.value AS hi#') }}
    {% endif %}
    {% endif %}
{% endfor %}
FROM final_parts AS p
{% for a in attributes %}
{% set i = a.index %}
{{ i | sql('JOIN places AS a# ON a#.attribute = # AND a#.place = p.lo#') }}
{{ i | sql('JOIN places AS b# ON b#.attribute = # AND b#.place = p.hi#') }}
{% if i in withheld %}LEFT {% endif %}JOIN dim_{{ i | integer }} AS d{{ i | integer }}
    ON d{{ i | integer }}.code = a{{ i | integer }}.code
{% if forms[i] == 'node' %}
{{ i | sql('LEFT JOIN part_nodes AS e# ON e#.attribute = # AND e#.part = p.part') }}
{{ i | sql('LEFT JOIN dim_# AS f# ON f#.code = e#.code') }}
LEFT JOIN nodes AS t{{ i | integer }}
    {{ i | sql('ON t#.attribute = # AND t#.level = e#.level AND t#.code = CASE e#.level') }}
    {% for level in range(a.min_level + 1, a.max_level + 1) %}
        WHEN {{ level | integer }} THEN f{{ i | integer }}.g{{ level | integer }}
    {% endfor %}
    END
{% else %}
{% if i in withheld %}LEFT {% endif %}JOIN dim_{{ i | integer }} AS f{{ i | integer }}
    ON f{{ i | integer }}.code = b{{ i | integer }}.code
{% endif %}
{% if forms[i] == 'set' %}
{{ i | sql('LEFT JOIN part_sets AS e# ON e#.attribute = # AND e#.part = p.part') }}
{% elif forms[i] == 'range' %}
{% if i in withheld %}LEFT {% endif %}JOIN nodes AS t{{ i | integer }}
    ON t{{ i | integer }}.attribute = {{ i | integer }}
    AND t{{ i | integer }}.level = {{ a.max_level | integer }}
    AND t{{ i | integer }}.code = d{{ i | integer }}.g{{ a.max_level | integer }}
{% endif %}
{% endfor %}
