{# The marked rows with what is lent of them.
   grain: one row per marked row
   in: lent_rows
   out: table marked, alike #}
CREATE TABLE marked AS
SELECT r.*
FROM lent_rows AS r
