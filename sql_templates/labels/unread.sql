{# Labels whose meaning is not known yet, as labels/named takes them; no arrays.
   grain: one row per label
   in: into (a table), several (whether labels count that can be read in several ways), the tables
       labels_asked, labels_readings and labels_known(id: of labels whose meaning is known)
   out: the table (position, n, label) #}
CREATE OR REPLACE TABLE {{ into | ident }} AS
SELECT 0 AS position, CAST(1 AS BIGINT) AS n, a.label
FROM labels_asked AS a
LEFT JOIN labels_known AS k ON k.id = a.id
WHERE k.id IS NULL AND a.listed IS NULL
    {% if not several %}
    AND a.id NOT IN (SELECT r.label FROM labels_readings AS r WHERE r.reading > 0)
    {% endif %}
