{# The sensitive values that a known row tells of: its own, that of the row of the table which it
   refers to, or those of the rows there that refer to it, none (-1) where no row does.
   grain: one row per known row and value
   in: ways (from the tables on one chain with that of the column: origin, their own number; path,
       the numbers from the lower of the two tables to the higher), table (the number of the
       column's), index (of the column), together (how many nodes there are), count
       (of all tables), standing_<number>, rows_<number>
   out: a SELECT of (origin, parent, class, item: as in relational/search/held, code) #}
{% from 'relational/sensitive/macros.sql' import row_number, upwards %}
{% for way in ways %}
SELECT
    {{ way.origin | integer }} AS origin,
    k.parent,
    k.class * {{ count | integer }} + {{ way.origin | integer }} AS class,
    k.id * {{ count | integer }} + {{ way.origin | integer }} AS item,
    COALESCE(v.code, -1) AS code
FROM {{ ('standing_' ~ way.origin) | ident }} AS k
LEFT JOIN (
    SELECT DISTINCT {{ way.origin | sql('t#.id') }}, r.{{ ('x' ~ index) | ident }} AS code
    {{ upwards(way.path) }}
    JOIN {{ ('rows_' ~ table) | ident }} AS r
        ON r.id = {{ row_number(['t' ~ table, 'id'], together) }}
) AS v ON v.id = k.id
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
