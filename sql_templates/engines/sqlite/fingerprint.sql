{# What a table holds, in numbers of this engine's own: another content has other numbers.
   grain: one row
   in: relation, columns
   out: rows, and a sum of hashes of whole rows #}
SELECT
    COUNT(*),
    FINGERPRINT({{ columns | each('QUOTE(s.@)', " || ',' || ") }}{% if not columns %}''{% endif %})
FROM {{ relation | ident }} AS s
