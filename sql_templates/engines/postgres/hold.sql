{# in: tables
   out: nobody drops or renames them until the transaction ends #}
LOCK TABLE {{ tables | idents }} IN ACCESS SHARE MODE
