{# Let a role read tables.
   in: tables (their names), role
   out: the role may read the tables #}
GRANT SELECT ON TABLE {{ tables | idents }} TO {{ role | ident }}
