{# The classes of the source's rows at the levels that are to be released, numbered.
   grain: one row per class
   in: tracked, attributes
   out: table tracked_classes(c1 … cn, class: from 1) #}
CREATE TABLE tracked_classes AS
SELECT {{ attributes | listed('t.c#') }}, CAST(ROW_NUMBER() OVER (
    ORDER BY {{ attributes | listed('t.c# NULLS FIRST') }}
) AS BIGINT) AS class
FROM (SELECT DISTINCT {{ attributes | listed('u.c#') }} FROM tracked AS u) AS t
