{# in: tables
   out: until the transaction ends, others may read them, and nobody else may hold them so #}
LOCK TABLE {{ tables | idents }} IN SHARE UPDATE EXCLUSIVE MODE
