{# out: a transaction that sees the database as it is now until it ends #}
BEGIN ISOLATION LEVEL REPEATABLE READ
