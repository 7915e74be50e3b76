{# What may be known of people whose sensitive values break any promise.
   grain: one row per combination
   in: tables (see relational/sensitive/broken), keys
   out: a SELECT of the keys, as relational/search/rare has them #}
{% for table in tables %}
SELECT {{ keys | idents('w') }} FROM {{ table | ident }} AS w
{% if not loop.last %}UNION{% endif +%}
{% endfor %}
