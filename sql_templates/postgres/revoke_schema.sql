{# in: schema
   out: nobody may look into it, or create in it, because everybody may #}
REVOKE ALL ON SCHEMA {{ schema | ident }} FROM PUBLIC
