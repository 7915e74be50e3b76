{# in: table, columns (name, form: text, hex, or moment: DuckDB writes BC behind the day)
   out: its rows to the client as CSV, quoted where they are not NULL, behind a field that keeps
       lines from being empty #}
COPY (
    SELECT 1
    {% for column in columns %}
        , {% if column.form == 'hex' %}ENCODE(s.{{ column.name | ident }},
            'hex'){% elif column.form == 'moment' %}CASE
            WHEN s.{{ column.name | ident }} < '0001-01-01'
            THEN REGEXP_REPLACE(CAST(s.{{ column.name | ident }} AS TEXT), '^(\S+)(.*) BC$',
            '\1 (BC)\2')
            ELSE CAST(s.{{ column.name | ident }} AS TEXT) END
                {% else %}s.{{ column.name | ident }}{% endif +%}
    {% endfor %}
    FROM {{ table | ident }} AS s
) TO STDOUT (FORMAT CSV, FORCE_QUOTE *)
