{# C_i from S_{i-1} (section 3.1.2): join two survivors that agree in all but their last attribute; prune what has a
   subset that did not survive.
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
    {% for i in range(1, size) %}
        p.dim{{ i | integer }},
        p.index{{ i | integer }},
    {% endfor %}
        q.dim{{ last | integer }} AS dim{{ size | integer }},
        q.index{{ last | integer }} AS index{{ size | integer }},
        p.id AS parent1,
        q.id AS parent2
    FROM survivors AS p
    JOIN survivors AS q
        ON p.dim{{ last | integer }} < q.dim{{ last | integer }}
    {% for i in range(1, last) %}
        AND p.dim{{ i | integer }} = q.dim{{ i | integer }}
        AND p.index{{ i | integer }} = q.index{{ i | integer }}
    {% endfor %}
)
SELECT
    CAST(ROW_NUMBER() OVER (
        ORDER BY {% for i in range(1, size + 1) %}j.dim{{ i | integer }}, {% endfor %}{% for i in range(size, 0, -1) %}j.index{{ i | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
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
