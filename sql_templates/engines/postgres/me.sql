{# The role and the database of this session, and what the role may do there.
   grain: one row
   out: (role, database, whether the role may create schemas, whether it may create temporary
       tables, whether the server is read-only) #}
SELECT
    CURRENT_USER,
    CURRENT_DATABASE(),
    HAS_DATABASE_PRIVILEGE(CURRENT_DATABASE(), 'CREATE'),
    HAS_DATABASE_PRIVILEGE(CURRENT_DATABASE(), 'TEMPORARY'),
    PG_IS_IN_RECOVERY() OR CURRENT_SETTING('default_transaction_read_only') = 'on'
