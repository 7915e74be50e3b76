{# Staged rows travel to the clean writer as Parquet, which has no unused space; types that Parquet
   lacks as text.
   in: select (a template), columns (name, type, form), ordering (a column of the select;
       none where the clean writer sorts the rows), path
   out: the Parquet file #}
COPY (
    SELECT
    {% for column in columns %}
        {% if column.form == 'plain' %}r.{{ column.name | ident }}
            {% else %}CAST(r.{{ column.name | ident }} AS VARCHAR)
            AS {{ column.name | ident }}{% endif %}{% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM (
        {% include select ~ '.sql' %}
    ) AS r
    {% if ordering is not none %}
    ORDER BY r.{{ ordering | ident }}
    {% endif %}
) TO {{ path | literal }} (FORMAT PARQUET)
