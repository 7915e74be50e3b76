{# in: table, columns (name, form: text or hex)
   out: its rows to the client as CSV, quoted where they are not NULL, behind a field that keeps lines from being empty #}
COPY (
    SELECT 1
    {% for column in columns %}
        , {% if column.form == 'hex' %}ENCODE(s.{{ column.name | ident }}, 'hex'){% else %}s.{{ column.name | ident }}{% endif +%}
    {% endfor %}
    FROM {{ table | ident }} AS s
) TO STDOUT (FORMAT CSV, FORCE_QUOTE *)
