{# out: a transaction that sees one state of each file from its first look at it #}
BEGIN
