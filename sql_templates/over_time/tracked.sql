{# The source's rows by name, each with its class at the levels that are to be released. Names are
   hashed here, as a table: a hash that is joined by where it is made may be computed twice.
   grain: one row per source row
   in: source, key (a column), attributes, dim_<index>, levels {index: level}, coded,
       values_<index>, ledger_secret, hash (the engine's template of a keyed hash)
   out: table tracked(k: the key, h: its hash, c1 … cn, x<index> of the coded columns) #}
CREATE TABLE tracked AS
SELECT
    t.k,
    {% with hashed = ['t', 'w'] %}{% include hash ~ '.sql' %}{% endwith %} AS h
    {{- attributes | each(', t.c#', '') }}{{ coded | each(', t.x#', '') }}
FROM (
    SELECT
        {{ key | value('s') }} AS k,
        CAST({{ key | value('s') }} AS VARCHAR) AS w{% for a in attributes %},
        COALESCE(d#.g{{ levels[a.index] | integer }}, 0) AS c#{% endfor %}{% for a in coded %},
        COALESCE(v#.code, 0) AS x#{% endfor +%}
    FROM {{ source | ident }} AS s
    {{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
    {{ coded | each('LEFT JOIN values_# AS v# ON v#.value = @(s)') }}
) AS t
