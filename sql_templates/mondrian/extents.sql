{# How far the open parts reach.
   grain: one row per part
   in: members, table, attributes
   out: table <table>(part, n: rows, cells, stuck: whether its widest attributes could not be cut, lo<i> and hi<i>: the
        first and last place of each attribute) #}
CREATE TABLE {{ table | ident }} AS
SELECT
    m.part,
    CAST(SUM(m.n) AS BIGINT) AS n,
    COUNT(*) AS cells,
    {% if first %}0{% else %}MAX(m.stuck){% endif %} AS stuck
{% for a in attributes %}
    , MIN(m.p{{ a.index | integer }}) AS lo{{ a.index | integer }}
    , MAX(m.p{{ a.index | integer }}) AS hi{{ a.index | integer }}
{% endfor %}
FROM {{ members | ident }} AS m
GROUP BY m.part
