{# The source's rows by name, each with its class at the levels that are to be released.
   grain: one row per source row
   in: source, key (a column), attributes, dim_<index>, levels {index: level}, coded,
       values_<index>
   out: table tracked(k: the key, w: its text, c1 … cn, x<index> of the coded columns) #}
CREATE TABLE tracked AS
SELECT
    {{ key | value('s') }} AS k,
    CAST({{ key | value('s') }} AS VARCHAR) AS w{% for a in attributes %},
    COALESCE(d#.g{{ levels[a.index] | integer }}, 0) AS c#{% endfor %}{% for a in coded %},
    COALESCE(v#.code, 0) AS x#{% endfor +%}
FROM {{ source | ident }} AS s
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
{{ coded | each('LEFT JOIN values_# AS v# ON v#.value = @(s)') }}
