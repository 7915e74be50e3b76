{# The classes that may not be released whatever their traces are.
   grain: one row per class
   in: tracked_classes, refused_codes(c1 … cn), attributes
   out: table refused(class) #}
CREATE TABLE refused AS
SELECT c.class
FROM tracked_classes AS c
JOIN refused_codes AS r ON {{ attributes | each('r.c# = c.c#', ' AND ') }}
