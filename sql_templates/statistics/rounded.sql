{# Cells whose numbers are rounded to multiples at random, by their keys: the same people are rounded
   alike everywhere.
   grain: one row per cell
   in: cells (a table: cell, ck, and the columns), columns (that are rounded: counts, m<index>),
       cell_streams(cell, the columns), bases {column: base}
   out: table changed(cell, the columns) #}
{% from 'statistics/macros.sql' import rounded %}
CREATE TABLE changed AS
SELECT
    k.cell
    {% for name in columns %}
    , {{ rounded(['k', name], bases[name], ['k', 'y' ~ loop.index]) }} AS {{ name | ident }}
    {% endfor %}
FROM (
    SELECT
        {% for name in columns %}
        {{ ['c', name] | ident }}, {{ ['z', name] | ident }} AS {{ ('y' ~ loop.index) | ident }},
        {% endfor %}
        c.cell
    FROM {{ cells | ident }} AS c
    JOIN cell_streams AS z ON z.cell = c.cell
) AS k
