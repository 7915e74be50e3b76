{# How many values are released that are not their row's own, by column, and how many rows have any.
   grain: one row
   in: source (with the drawn columns), recoded (columns, see release/changes/macros), drawn (columns:
       name, new), own (all columns by name)
   out: (rows with any; values of each recoded column; of each drawn column) #}
{% from 'release/changes/macros.sql' import recoded_value %}
SELECT
    CAST(COALESCE(SUM(CASE
        WHEN {{ recoded | each('c.r# = 1', ' OR ') }}
            {%- if recoded and drawn %} OR {% endif %}{{ drawn | each('c.d# = 1', ' OR ') }}
        THEN 1 ELSE 0
    END), 0) AS BIGINT) AS changed_rows
    {{ recoded | each(', CAST(COALESCE(SUM(c.r#), 0) AS BIGINT) AS r#') }}
    {{ drawn | each(', CAST(COALESCE(SUM(c.d#), 0) AS BIGINT) AS d#') }}
FROM (
    SELECT
        {% for r in recoded %}
        CASE
            WHEN s.{{ r.name | ident }} IS NULL OR s.{{ r.name | ident }} = {{ recoded_value(r) }}
            THEN 0 ELSE 1
        END AS {{ ('r' ~ r.index) | ident }}{% if drawn or not loop.last %},{% endif +%}
        {% endfor %}
        {% for d in drawn %}
        CASE
            WHEN {{ own[d.name] | value('s') }} = s.{{ d.new | ident }} THEN 0
            WHEN s.{{ d.name | ident }} IS NULL AND s.{{ d.new | ident }} IS NULL THEN 0
            ELSE 1
        END AS {{ ('d' ~ d.index) | ident }}{% if not loop.last %},{% endif +%}
        {% endfor %}
    FROM {{ source | ident }} AS s
) AS c
