{# Candidates over all attributes straight from the survivors over pairs: the subset property of every pair at once,
   without the passes between.
   grain: one row per combination of levels whose pairs all survived
   in: size (the number of attributes), lattice.nodes_2, lattice.verdicts
   out: table lattice.nodes_<size>(id, dim1, index1, …) #}
CREATE TABLE lattice.nodes_{{ size | integer }} AS
WITH survivors AS (
    SELECT n.*
    FROM lattice.nodes_2 AS n
    JOIN lattice.verdicts AS v ON v.size = 2 AND v.id = n.id AND v.satisfied
),
vectors AS (
    SELECT
        first.dim1, first.index1, first.dim2, first.index2
    {% for j in range(3, size + 1) %}
        , p1_{{ j | integer }}.dim2 AS dim{{ j | integer }}, p1_{{ j | integer }}.index2 AS index{{ j | integer }}
    {% endfor %}
    FROM survivors AS first
    {% for j in range(3, size + 1) %}
    JOIN survivors AS p1_{{ j | integer }}
        ON p1_{{ j | integer }}.dim1 = 1 AND p1_{{ j | integer }}.dim2 = {{ j | integer }} AND p1_{{ j | integer }}.index1 = first.index1
    SEMI JOIN survivors AS p2_{{ j | integer }}
        ON p2_{{ j | integer }}.dim1 = 2 AND p2_{{ j | integer }}.dim2 = {{ j | integer }}
        AND p2_{{ j | integer }}.index1 = first.index2 AND p2_{{ j | integer }}.index2 = p1_{{ j | integer }}.index2
    {% for i in range(3, j) %}
    SEMI JOIN survivors AS p{{ i | integer }}_{{ j | integer }}
        ON p{{ i | integer }}_{{ j | integer }}.dim1 = {{ i | integer }} AND p{{ i | integer }}_{{ j | integer }}.dim2 = {{ j | integer }}
        AND p{{ i | integer }}_{{ j | integer }}.index1 = p1_{{ i | integer }}.index2 AND p{{ i | integer }}_{{ j | integer }}.index2 = p1_{{ j | integer }}.index2
    {% endfor %}
    {% endfor %}
    WHERE first.dim1 = 1 AND first.dim2 = 2
)
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY {% for i in range(size, 0, -1) %}v.index{{ i | integer }}{% if not loop.last %}, {% endif %}{% endfor %}) AS INTEGER) AS id,
    v.*
FROM vectors AS v
