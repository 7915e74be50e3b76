{# Where the rows with their groups are not the source's with their sensitive values, as multisets
   of whole rows.
   grain: one row
   in: what verification/counted takes (coded: the sensitive column alone; levels: 0), kept (the
       released columns less the group), released (those, and the sensitive value, by the names they
       have in separated), table (separated)
   out: (distinct rows whose number differs, by how many rows in all) #}
WITH expected AS (
    SELECT
    {% for r in released %}
        {% if loop.last %}
        e.q{{ coded[0].index | integer }} AS r{{ r.position | integer }},
        {% else %}
        e.r{{ r.position | integer }},
        {% endif %}
    {% endfor %}
        e.n
    FROM (
        {% with released = kept %}{% include 'verification/counted.sql' %}{% endwith +%}
    ) AS e
),
{% include 'verification/surplus.sql' %}
