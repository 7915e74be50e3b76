{# Cells whose numbers are rounded to multiples at random, by their keys: the same people are rounded
   alike everywhere.
   grain: one row per cell
   in: cells (a table: cell, ck, and the columns), columns (that are rounded: counts, m<index>),
       streams {column: number}, cell_streams(a<number>, b<number>: one row), bases {column: base}
   out: table changed(cell, the columns) #}
{% from 'statistics/macros.sql' import stream, rounded %}
CREATE TABLE changed AS
SELECT
    k.cell
    {% for name in columns %}
    , {{ rounded(['k', name], bases[name], ['k', 'y' ~ loop.index]) }} AS {{ name | ident }}
    {% endfor %}
FROM (
    SELECT
        {% for name in columns %}
        {{ ['c', name] | ident }}, {{ stream(streams[name]) }} AS {{ ('y' ~ loop.index) | ident }},
        {% endfor %}
        c.cell
    FROM {{ cells | ident }} AS c
    CROSS JOIN cell_streams AS z
) AS k
