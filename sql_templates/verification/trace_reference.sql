{# The values of a column as the ledger knows them, by their codes in the reference.
   grain: one row per value
   in: a (coded column), reference_<index>, ledger_secret, hash
   out: table trace_reference_<index>(code, y: the hash, NULL for NULL) #}
CREATE TABLE {{ ('trace_reference_' ~ a.index) | ident }} AS
SELECT v.code, {% with hashed = ['v', 'w'] %}{% include hash ~ '.sql' %}{% endwith %} AS y
FROM (
    SELECT u.code, CAST(u.value AS VARCHAR) AS w FROM {{ ('reference_' ~ a.index) | ident }} AS u
) AS v
