{# grain: one row
   out: (role, database, may it create schemas, may it create temporary tables, is the server
       read-only) #}
SELECT
    CURRENT_USER,
    CURRENT_DATABASE(),
    HAS_DATABASE_PRIVILEGE(CURRENT_DATABASE(), 'CREATE'),
    HAS_DATABASE_PRIVILEGE(CURRENT_DATABASE(), 'TEMPORARY'),
    PG_IS_IN_RECOVERY() OR CURRENT_SETTING('default_transaction_read_only') = 'on'
