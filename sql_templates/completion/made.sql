{# A completed table as a scratch table.
   grain: one row per draw and released row
   in: into, titles (its columns), see completion/completed
   out: table into(titles) #}
CREATE TABLE {{ into | ident }} AS
SELECT {{ titles | idents('o') }}
FROM (
    {% include 'completion/completed.sql' %}
) AS o
