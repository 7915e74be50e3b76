{# Rows whose reference leads to no row.
   grain: one row
   in: source, reference, other (relation), key (of the other table)
   out: (rows without a reference, rows whose reference is no key of the other table) #}
SELECT
    COUNT(*) - COUNT({{ reference | value('s') }}) AS nulls,
    COUNT({{ reference | value('s') }}) - COUNT({{ key | value('o') }}) AS dangling
FROM {{ source | ident }} AS s
LEFT JOIN {{ other | ident }} AS o ON {{ key | value('o') }} = {{ reference | value('s') }}
