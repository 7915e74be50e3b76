{# grain: one row per table, view, index or trigger of an attached file
   in: database, own (whether SQLite's own tables are left out)
   out: (kind, name) #}
SELECT m.type, m.name
FROM {{ (database, 'sqlite_master') | ident }} AS m
{% if own %}
WHERE m.name NOT LIKE 'sqlite^_%' ESCAPE '^'
{% endif %}
ORDER BY m.type, m.name
