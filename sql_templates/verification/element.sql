{# A value as a set has it that is written in one text: in double quotes where it would be read as
   something else.
   in: value (a reference to a text)
   out: an expression #}
CASE
    WHEN {{ value | ident }} IS NULL THEN 'NULL'
    WHEN {{ value | ident }} IN ('', 'NULL') OR {{ value | ident }} LIKE ' %' OR {{ value | ident
        }} LIKE '% '
        OR POSITION(',' IN {{ value | ident }}) > 0 OR POSITION('"' IN {{ value | ident }}) > 0
        OR POSITION('{' IN {{ value | ident }}) > 0 OR POSITION('}' IN {{ value | ident }}) > 0
    THEN CONCAT('"', REPLACE({{ value | ident }}, '"', '""'), '"')
    ELSE {{ value | ident }}
END
