{# The lock of a release: nobody else can make a table of this name before the transaction ends, and
   only who may create tables in the schema can try.
   in: table
   out: an empty table, dropped before the transaction ends #}
CREATE TABLE {{ table | ident }} ()
