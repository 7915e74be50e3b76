{# Texts on their way to a release file that would not come back from the types of their columns.
   grain: one row
   in: paths and format (see engines/duckdb/travelled), columns (name, type, form), doubtful
       (numbers of
       columns, from 0), spelled (whether the very text must come back, else a value)
   out: for each doubtful column, how many #}
SELECT
{% for number in doubtful %}
    {% set field = columns[number].name if format == 'parquet' else 'c' ~ (number + 1) %}
    COUNT(*) FILTER (
        WHERE p.{{ field | ident }} IS NOT NULL
        AND COALESCE({% if columns[number].form == 'hex' %}FALSE
            {% elif spelled %}
            CAST(
                TRY_CAST(p.{{ field | ident }} AS {{ columns[number].type | sql_type }}) AS VARCHAR)
                <> p.{{ field | ident }}
            {% else %}
            TRY_CAST(p.{{ field | ident }} AS {{ columns[number].type | sql_type }}) IS NULL
            {% endif %}, TRUE)
    ){% if not loop.last %},{% endif +%}
{% endfor %}
FROM {% include 'engines/duckdb/travelled.sql' %}
