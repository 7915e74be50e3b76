-- name: create_schema
{# in: schema, location (a folder) or none
   out: the schema #}
CREATE DATABASE IF NOT EXISTS {{ schema | backquoted }}{% if location %}
    LOCATION {{ location | escaped }}{% endif %}

-- name: described
{# grain: one row per column of a table or view, and per thing that the catalog says of it
   in: relation
   out: (name, type or value, comment) #}
DESCRIBE TABLE EXTENDED {{ relation | backquoted }}

-- name: drop
{# in: table
   out: it is gone, if it was there #}
DROP TABLE IF EXISTS {{ table | backquoted }}

-- name: drop_schema
{# in: schema
   out: it is gone with all that is in it, if it was there #}
DROP DATABASE IF EXISTS {{ schema | backquoted }} CASCADE

-- name: drop_view
{# in: view
   out: no such view #}
DROP VIEW IF EXISTS {{ view | backquoted }}

-- name: functions
{# grain: one row per function that somebody made in a schema
   in: schema
   out: (name, with its schema) #}
SHOW USER FUNCTIONS IN {{ schema | backquoted }}

-- name: hex_number
{# See engines/hex_number.
   in: digits (a reference to a text), start (the position of the first)
   out: an expression: a DOUBLE #}
CAST(CONV(SUBSTR({{ digits | ident }}, {{ start | integer }}, 10), 16, 10) AS DOUBLE)

-- name: schema
{# grain: one row per thing that the catalog says of a schema
   in: schema
   out: (name, value) #}
DESCRIBE DATABASE EXTENDED {{ schema | backquoted }}

-- name: swap
{# in: view, table
   out: the view shows that table from now on #}
CREATE OR REPLACE VIEW {{ view | backquoted }} AS SELECT * FROM {{ table | backquoted }}

-- name: tables
{# grain: one row per table or view
   in: schema (or none for the current one)
   out: (schema, name, whether it is the session's own) #}
SHOW TABLES{% if schema %} IN {{ schema | backquoted }}{% endif +%}

-- name: texts
{# grain: one row per row of a table, in its order
   in: table, columns (name, form: text or hex)
   out: every value as text #}
SELECT
{% for column in columns %}
    {% if column.form == 'hex' %}HEX(s.{{ column.name | backquoted }})
        {% else %}CAST(s.{{ column.name | backquoted }} AS STRING){% endif %}
        AS c{{ loop.index | integer }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | backquoted }} AS s

-- name: without
{# in: what risks/kept/without asks for, its hashes made by this engine
   out: as that has it #}
{% include 'risks/kept/without.sql' %}
