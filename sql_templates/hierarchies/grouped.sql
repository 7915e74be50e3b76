{# The rows of a dimension table: see hierarchies/dimension.
   in: attribute (template: a SELECT of its values and labels, and what that takes; null_labels: its labels from level 0 to the top, or none)
   out: a SELECT of (code, value, v<l>, g<l>, leaves<l>, lo<l>, hi<l>) #}
WITH numbered AS (
    SELECT
        CAST(ROW_NUMBER() OVER (ORDER BY {% if a.sorts %}l.value NULLS LAST, {% endif %}{% if a.leaves %}l.place NULLS LAST, {% endif %}MD5(l.v0) NULLS LAST, l.value NULLS LAST) AS INTEGER) AS code
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
    , CASE WHEN MIN(d.code) OVER (PARTITION BY d.v{{ level | integer }}) > 0 THEN d.{{ (bound ~ level) | ident }} END AS {{ (bound ~ level) | ident }}
    {% endfor %}
    {% endif %}
{% endfor %}
FROM numbered AS d
