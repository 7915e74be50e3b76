{# grain: one row
   out: (role, database, may it create schemas, is the server read-only) #}
SELECT CURRENT_USER, CURRENT_DATABASE(), HAS_DATABASE_PRIVILEGE(CURRENT_DATABASE(), 'CREATE'),
    PG_IS_IN_RECOVERY() OR CURRENT_SETTING('default_transaction_read_only') = 'on'
