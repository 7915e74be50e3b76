{# The source's rows with a place among the rows of their cell, in an order that only a secret salt
   knows: where cells are divided between groups, it says which row falls to which.
   grain: one row per source row
   in: what release/coded takes, fresh_salt
   out: table placed(what release/coded gives, place: from 1) #}
CREATE TABLE placed AS
SELECT
    t.*,
    ROW_NUMBER() OVER (
        PARTITION BY {{ attributes | listed('t.c#') }}{{ valued | each(', t.x#') }}
        ORDER BY t.lot NULLS FIRST
    ) AS place
FROM (
    SELECT c.*, MD5((SELECT z.salt FROM fresh_salt AS z) || 'place'
        || CAST(ROW_NUMBER() OVER () AS VARCHAR)) AS lot
    FROM (
        {% include 'release/coded.sql' %}
    ) AS c
) AS t
