{# Predicates: each takes its values from the released rows that it names, one for each facet.
   grain: one row per predicate
   in: attacked_guesses(id, r<facet>: id of a released combination), table (of released rows),
       facets (numbers)
   out: table judged_tuples(id, v<facet>, n: 1) #}
CREATE TABLE judged_tuples AS
SELECT
    g.id,
    {{ facets | each('t#.v#,') }}
    CAST(1 AS BIGINT) AS n
FROM attacked_guesses AS g
{% for facet in facets %}
JOIN {{ table | ident }} AS {{ ('t' ~ facet) | ident }}
    ON {{ facet | sql('t#.id = g.r#') }}
{% endfor %}
