{# Predicates: each takes its values from the released rows that it names, one for each facet.
   grain: one row per predicate
   in: attacked_guesses(id, r<facet>: id of a released combination), attacked_release, facets
       (numbers)
   out: table judged_tuples(id, v<facet>, n: 1) #}
CREATE TABLE judged_tuples AS
SELECT
    g.id,
    {{ facets | each('t#.v#,') }}
    CAST(1 AS BIGINT) AS n
FROM attacked_guesses AS g
{{ facets | each('JOIN attacked_release AS t# ON t#.id = g.r#') }}
