{# in: tables
   out: nobody may do anything with them because everybody may #}
REVOKE ALL ON TABLE {{ tables | idents }} FROM PUBLIC
