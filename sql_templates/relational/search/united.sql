{# All struck rows.
   grain: one row per row of the tables
   in: tables (see relational/search/struck)
   out: a SELECT of (person, origin, parent, class) #}
{% for table in tables %}
SELECT x.person, x.origin, x.parent, x.class FROM {{ table | ident }} AS x
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
