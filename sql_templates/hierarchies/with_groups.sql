{# Levels of a hierarchy with all groups that it can have, whether a value of the source is in them or
   not: each by a row without a value.
   grain: one row per distinct non-NULL source value, and one per group of the first level
   in: a (attribute), inner (the template of the source's values, and what that takes), grouped (of
       every group of level 1 its labels from level 0 to the top)
   out: a SELECT of (value, v0 …) #}
SELECT l.value{{ range(a.height + 1) | each(', l.v#') }}
FROM (
    {% include inner ~ '.sql' %}
) AS l
UNION ALL
SELECT NULL AS value{{ range(a.height + 1) | each(', k.v#') }}
FROM (VALUES {{ grouped | rows }}) AS k (v0{{ range(1, a.height + 1) | each(', v#') }})
