{# How many people have rows to suppress, by node.
   grain: one row per node
   in: tables (see relational/search/to_suppress and found), together (how many nodes there are)
   out: (node, people) #}
SELECT x.person % {{ together | integer }} AS node, COUNT(DISTINCT x.person) AS people
FROM (
{% for table in tables %}
    SELECT v.person FROM {{ table | ident }} AS v
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS x
GROUP BY x.person % {{ together | integer }}
