{# The people that have rows to suppress.
   grain: one row per person
   in: tables (see relational/search/to_suppress and found), failed (nodes whose people are left out),
       together (how many nodes there are)
   out: a SELECT of (id) #}
SELECT DISTINCT x.person AS id
FROM (
{% for table in tables %}
    SELECT v.person FROM {{ table | ident }} AS v
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS x
{% if failed %}
WHERE x.person % {{ together | integer }} NOT IN ({{ failed | listed('#') }})
{% endif %}
