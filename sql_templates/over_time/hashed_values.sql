{# The values of a coded column as the ledger knows them.
   grain: one row per value
   in: a (coded column), values_<index>, ledger_secret, hash (the engine's template of a keyed hash)
   out: table hashed_<index>(code, y: the hash; NULL for NULL) #}
CREATE TABLE {{ ('hashed_' ~ a.index) | ident }} AS
SELECT v.code, {% with hashed = ['v', 'w'] %}{% include hash ~ '.sql' %}{% endwith %} AS y
FROM (
    SELECT u.code, CAST(u.value AS VARCHAR) AS w FROM {{ ('values_' ~ a.index) | ident }} AS u
) AS v
