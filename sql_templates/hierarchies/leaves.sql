{# The leaves of a hierarchy that is given leaf by leaf, spelled out.
   grain: one row per leaf
   in: attribute
   out: a SELECT of (v0 …, place: of the leaf in the hierarchy) #}
SELECT
{% for level in range(a.height + 1) %}
    CAST(f.v{{ level | integer }} AS VARCHAR) AS v{{ level | integer }},
{% endfor %}
    CAST(f.place AS INTEGER) AS place
FROM (VALUES {{ a.leaves | rows }}) AS f ({% for level in range(a.height + 1) %}v{{ level | integer }}, {% endfor %}place)
