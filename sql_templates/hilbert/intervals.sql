{# What is released of each group as intervals: a single value as it is, others by the first and the last, values with NULL
   as *.
   grain: one row per group
   in: final_parts, places, dim_<index>, attributes, sizes {index: values}
   out: table groups(grp, n, for each attribute v<i>, leaves<i>, present<i>, first<i> and last<i>: codes of its ends, lo<i>
        and hi<i> where it has bounds) #}
CREATE TABLE groups AS
SELECT
    u.part AS grp,
    u.n
{% for a in attributes %}
{% set i = a.index %}
    , {% with mixed = ['u', 'mixed' ~ i], first = ['b' ~ i, 'v0'], last = ['e' ~ i, 'v0'] %}{% include 'single/interval_label.sql' %}{% endwith %} AS v{{ i | integer }}
    , CASE WHEN u.mixed{{ i | integer }} THEN b{{ i | integer }}.leaves ELSE e{{ i | integer }}.place - b{{ i | integer }}.place + 1 END AS leaves{{ i | integer }}
    , CASE WHEN u.mixed{{ i | integer }} THEN {{ sizes[i] | integer }} ELSE u.hi{{ i | integer }} - u.lo{{ i | integer }} + 1 END AS present{{ i | integer }}
    , b{{ i | integer }}.code AS first{{ i | integer }}
    , e{{ i | integer }}.code AS last{{ i | integer }}
    {% if a.bounds_type %}
    , CASE WHEN NOT u.mixed{{ i | integer }} THEN b{{ i | integer }}.lo0 END AS lo{{ i | integer }}
    , CASE WHEN NOT u.mixed{{ i | integer }} THEN e{{ i | integer }}.hi0 END AS hi{{ i | integer }}
    {% endif %}
{% endfor %}
FROM (
    SELECT
        p.*
    {% for a in attributes %}
        , p.hi{{ a.index | integer }} > p.lo{{ a.index | integer }} AND f{{ a.index | integer }}.code = 0 AS mixed{{ a.index | integer }}
        , f{{ a.index | integer }}.code AS least{{ a.index | integer }}
        , t{{ a.index | integer }}.code AS greatest{{ a.index | integer }}
    {% endfor %}
    FROM final_parts AS p
{% for a in attributes %}
    JOIN places AS f{{ a.index | integer }} ON f{{ a.index | integer }}.attribute = {{ a.index | integer }} AND f{{ a.index | integer }}.place = p.lo{{ a.index | integer }}
    JOIN places AS t{{ a.index | integer }} ON t{{ a.index | integer }}.attribute = {{ a.index | integer }} AND t{{ a.index | integer }}.place = p.hi{{ a.index | integer }}
{% endfor %}
) AS u
{% for a in attributes %}
{% set i = a.index %}
{% for side, end in [('b', 'least'), ('e', 'greatest')] %}
JOIN (
    {% include 'single/ordered.sql' %}
) AS {{ (side ~ i) | ident }} ON {{ (side ~ i) | ident }}.code = u.{{ (end ~ i) | ident }}
{% endfor %}
{% endfor %}
