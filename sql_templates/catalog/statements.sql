{# in: lists of (run, number, plane, name, rows, milliseconds), bound
   out: appended to the journal #}
INSERT INTO statements SELECT UNNEST(?), UNNEST(?), UNNEST(?), UNNEST(?), UNNEST(?), UNNEST(?)
