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
            MD5(l.v0) NULLS LAST, l.value NULLS LAST) AS INTEGER) AS code
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
)
SELECT
    d.code
    , d.value
{% for level in range(a.height + 1) %}
    , d.v{{ level | integer }}
    , MIN(d.code) OVER (PARTITION BY d.v{{ level | integer }}) AS g{{ level | integer }}
    , COUNT(*) OVER (PARTITION BY d.v{{ level | integer }}) AS leaves{{ level | integer }}
    {% if a.bounds_type %}
    {# a group that NULL belongs to has no bounds: they would tell NULL from the others #}
    {% for bound in ('lo', 'hi') %}
    , CASE WHEN MIN(d.code) OVER (PARTITION BY d.v{{ level | integer }}) > 0
        THEN d.{{ (bound ~ level) | ident }} END AS {{ (bound ~ level) | ident }}
    {% endfor %}
    {% endif %}
{% endfor %}
FROM numbered AS d
