{# C_i from S_{i-1} (section 3.1.2): join two survivors that agree in all but their last attribute;
   prune what has a subset that did not survive.
   grain: one row per candidate of a pass
   in: size i, lattice.nodes_<i-1>, lattice.verdicts
   out: table lattice.nodes_<i>(id, dim1, index1, …, parent1, parent2) #}
{% set last = size - 1 %}
CREATE TABLE lattice.nodes_{{ size | integer }} AS
WITH survivors AS (
    SELECT n.*
    FROM lattice.nodes_{{ last | integer }} AS n
    JOIN lattice.verdicts AS v ON v.size = {{ last | integer }} AND v.id = n.id AND v.satisfied
),
joined AS (
    SELECT
        {{ range(1, size) | each('p.dim#, p.index#,') }}
        q.dim{{ last | integer }} AS dim{{ size | integer }},
        q.index{{ last | integer }} AS index{{ size | integer }},
        p.id AS parent1,
        q.id AS parent2
    FROM survivors AS p
    JOIN survivors AS q
        ON p.dim{{ last | integer }} < q.dim{{ last | integer }}
        {{ range(1, last) | each('AND p.dim# = q.dim# AND p.index# = q.index#') }}
)
SELECT
    CAST(ROW_NUMBER() OVER (
        ORDER BY
            {{ range(1, size + 1) | each('j.dim#,') }} {{ range(size, 0, -1) | listed('j.index#') }}
    ) AS INTEGER) AS id,
    j.*
FROM joined AS j
{% for dropped in range(1, last) %}
SEMI JOIN survivors AS s{{ dropped | integer }}
    ON TRUE
    {% for i in range(1, size) %}
    {% set k = i if i < dropped else i + 1 %}
    AND s{{ dropped | integer }}.dim{{ i | integer }} = j.dim{{ k | integer }}
    AND s{{ dropped | integer }}.index{{ i | integer }} = j.index{{ k | integer }}
    {% endfor %}
{% endfor %}
