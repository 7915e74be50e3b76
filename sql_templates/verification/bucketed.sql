{# Where the released rows are not those that were dealt, with what their groups are released as, as
   multisets of whole rows.
   grain: one row
   in: bucketed, groups, released (less the row's own number), numbers {position: the number of a
       kept or bucketized column}, table
   out: (distinct rows whose number differs, by how many rows in all) #}
{% from 'verification/macros.sql' import compared, expected %}
WITH expected AS (
    SELECT
    {% for r in released %}
        {% if r.kind == 'group' %}
        o.group_id AS r{{ r.position | integer }},
        {% elif r.kind == 'bucket' %}
        o.b{{ numbers[r.position] | integer }} AS r{{ r.position | integer }},
        {% elif r.kind == 'kept' %}
        {{ expected(r, ['o', 'k' ~ numbers[r.position]]) }} AS r{{ r.position | integer }},
        {% elif r.kind == 'label' %}
        x.v{{ r.attribute.index | integer }} AS r{{ r.position | integer }},
        {% else %}
        {{ compared(r, ['x', r.kind ~ r.attribute.index]) }} AS r{{ r.position | integer }},
        {% endif %}
    {% endfor %}
        1 AS n
    FROM bucketed AS o
    JOIN groups AS x ON x.grp = o.grp
),
{% include 'verification/surplus.sql' %}
