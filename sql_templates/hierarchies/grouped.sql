{# The rows of the dimension table of one attribute (Incognito, Fig. 4), integer-coded. A group at
   any level is named by the smallest code of its members, so that one join on code generalizes a
   frequency set from whatever level it is at to any higher one. Codes are in the order of the
   values, or of the leaves as they are given. NULL has the code 0.
   grain: one row per leaf, and one for NULL when the data or the hierarchy has it
   in: a (attribute), template (a SELECT of its values and labels, and what that takes), null_labels
       (its labels from level 0 to the top, or none)
   out: a SELECT of (code, value, v<l>, g<l> group code, leaves<l> leaves in the group, lo<l>,
       hi<l>) #}
WITH numbered AS (
    SELECT
        CAST(ROW_NUMBER() OVER (ORDER BY
            {% if a.sorts %}l.value NULLS LAST, {% endif %}
            {% if a.leaves %}l.place NULLS LAST, {% endif %}
            {# of values without an order: not in that of their texts #}
            {% if not a.sorts and not a.leaves %}MD5(l.v0) NULLS LAST, {% endif %}
            l.value NULLS LAST) AS INTEGER) AS code
        , l.value
    {% for level in range(a.height + 1) %}
        , l.v{{ level | integer }}
        {% if a.bounds_type %}
        , l.lo{{ level | integer }}
        , l.hi{{ level | integer }}
        {% endif %}
    {% endfor %}
    FROM (
        {% include a.template ~ '.sql' %}
    ) AS l
{% if a.null_labels is not none %}
    UNION ALL
    SELECT
        0
        , NULL
    {% for level in range(a.height + 1) %}
        , {{ a.null_labels[level] | literal }}
        {% if a.bounds_type %}
        , NULL
        , NULL
        {% endif %}
    {% endfor %}
{% endif %}
),
{% for level in range(a.height + 1) %}
groups{{ level | integer }} AS (
    SELECT n.v{{ level | integer }} AS label, MIN(n.code) AS code,
        {% if a.merges %}COUNT(DISTINCT n.v0){% else %}COUNT(*){% endif %} AS leaves
    FROM numbered AS n
    WHERE n.v{{ level | integer }} IS NOT NULL
    GROUP BY n.v{{ level | integer }}
),
{% endfor %}
{# NULL, and values without labels: together they are a group, too #}
unlabelled AS (
    SELECT
    {% for level in range(a.height + 1) %}
        MIN(CASE WHEN n.v{{ level | integer }} IS NULL THEN n.code END)
            AS code{{ level | integer }},
        COUNT(CASE WHEN n.v{{ level | integer }} IS NULL THEN 1 END)
            AS leaves{{ level | integer }}{% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM numbered AS n
),
grouped AS (
    SELECT
        d.*
    {% for level in range(a.height + 1) %}
        {% for column in ('code', 'leaves') %}
        , CASE WHEN d.v{{ level | integer }} IS NULL THEN u.{{ (column ~ level) | ident }}
            ELSE {{ ('g' ~ level) | ident }}.{{ column | ident }} END
            AS {{ (('g' if column == 'code' else 'leaves') ~ level) | ident }}
        {% endfor %}
    {% endfor %}
    FROM numbered AS d
    CROSS JOIN unlabelled AS u
    {{ range(a.height + 1) | each('LEFT JOIN groups# AS g# ON g#.label = d.v#') }}
)
SELECT
    d.code
    , d.value
{% for level in range(a.height + 1) %}
    , d.v{{ level | integer }}
    , d.g{{ level | integer }}
    , d.leaves{{ level | integer }}
    {% if a.bounds_type %}
    {# a group that NULL belongs to has no bounds: they would tell NULL from the others #}
    , CASE WHEN d.g{{ level | integer }} > 0 THEN d.lo{{ level | integer }} END
        AS lo{{ level | integer }}
    , CASE WHEN d.g{{ level | integer }} > 0 THEN d.hi{{ level | integer }} END
        AS hi{{ level | integer }}
    {% endif %}
{% endfor %}
FROM grouped AS d
