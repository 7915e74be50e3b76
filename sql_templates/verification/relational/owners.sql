{# People with what is known of them besides single rows: the class of their own row, or the kind of
   their whole tree.
   grain: one row per person
   in: trees (whether whole trees are known), verified_1, whole_1
   out: a SELECT of (id, own) #}
{% if trees %}
SELECT t.id, t.kind AS own FROM whole_1 AS t
{% else %}
SELECT t.id, t.alike AS own FROM verified_1 AS t
{% endif %}
