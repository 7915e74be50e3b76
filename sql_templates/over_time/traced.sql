{# The source's rows with their traces so far (0: never released) and their parts: the rows of one
   trace and one class. A row of which a sensitive value was changed after it was released belongs
   to no class of its trace any more: part 0.
   grain: one row per source row
   in: tracked, tracked_classes, remembered, attributes, coded
   out: table traced(k: the key, h: its hash, r: its number in remembered, trace, part: the class,
       x<index>) #}
CREATE TABLE traced AS
SELECT
    t.k, t.h, r.r,
    {{ coded | each('t.x#,') }}
    COALESCE(r.trace, 0) AS trace,
    {% if coded %}
    CASE WHEN {{ coded | each('r.x# <> t.x#', ' OR ') }} THEN 0 ELSE c.class END AS part
    {% else %}
    c.class AS part
    {% endif %}
FROM tracked AS t
JOIN tracked_classes AS c ON {{ attributes | each('c.c# = t.c#', ' AND ') }}
LEFT JOIN remembered AS r ON r.h = t.h
