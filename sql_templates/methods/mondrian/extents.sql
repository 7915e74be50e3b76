{# How far the open parts reach.
   grain: one row per part
   in: members, table, attributes, first (whether they are the first)
   out: table <table>(part, n: rows, cells, stuck: whether its widest attributes could not be cut,
       lo<i> and hi<i>: the first and last place of each attribute) #}
CREATE TABLE {{ table | ident }} AS
SELECT
    m.part,
    CAST(SUM(m.n) AS BIGINT) AS n,
    COUNT(*) AS cells,
    {% if first %}0{% else %}MAX(m.stuck){% endif %} AS stuck
    {{ attributes | each(', MIN(m.p#) AS lo#, MAX(m.p#) AS hi#') }}
FROM {{ members | ident }} AS m
GROUP BY m.part
