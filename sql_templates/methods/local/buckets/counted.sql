{# The values of a column and how many rows have each: all of them, which t-closeness is measured
   against, or those of rows alone where the column is withheld or sensitive.
   grain: one row per value; NULL is a value like another
   in: table (s<index>, w<of>), index (of the column), of (the index of the attribute whose mark w
       says where the column counts, or 0), into
   out: table <into>(q<index>, n) #}
CREATE TABLE {{ into | ident }} AS
{{ index | sql('SELECT t.s# AS q#, CAST(COUNT(*) AS BIGINT) AS n') }}
FROM {{ table | ident }} AS t
{% if of %}
WHERE t.w{{ of | integer }} = 1
{% endif %}
GROUP BY t.s{{ index | integer }}
