{# Where the leaves of every node over a place begin and end, and what a group loses that is
   released as that node: leaves of the node / leaves of the domain, times the weight of the column;
   nothing where the node is a single leaf (Xu, Wang, Pei, Wang, Shi, Fu, Utility-Based
   Anonymization Using Local Recoding, 2006, section 3).
   grain: one row per place of the attribute
   in: places, dim_<index>, a (attribute that is no range)
   out: table spans_<index>(place, from<l> and upto<l>: the first and the last place under the node
       at level l, loss<l>) #}
CREATE TABLE spans_# AS
SELECT
    t.place
{% for level in range(a.min_level + 1, a.max_level + 1) %}
    , CAST(MIN(t.place) OVER (PARTITION BY d.g{{ level | integer }}) AS BIGINT)
        AS from{{ level | integer }}
    , CAST(MAX(t.place) OVER (PARTITION BY d.g{{ level | integer }}) AS BIGINT)
        AS upto{{ level | integer }}
    , CASE
        WHEN d.leaves{{ level | integer }} = 1 THEN CAST(0 AS DOUBLE)
        ELSE CAST({{ a.policy.weight | literal }} AS DOUBLE)
            * CAST(d.leaves{{ level | integer }} AS DOUBLE) / w.leaves
    END AS loss{{ level | integer }}
{% endfor %}
FROM places AS t
JOIN dim_# AS d ON d.code = t.code
CROSS JOIN (SELECT CAST(COUNT(DISTINCT x.g0) AS DOUBLE) AS leaves FROM dim_# AS x) AS w
WHERE t.attribute = #
