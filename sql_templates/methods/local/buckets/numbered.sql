{# in: local_rows
   out: table numbered_rows(what local_rows has, own_row: a number) #}
CREATE TABLE numbered_rows AS
SELECT r.*, ROW_NUMBER() OVER () AS own_row
FROM local_rows AS r
