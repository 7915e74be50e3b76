{# Cells whose numbers are rounded to multiples at random, by their keys: the same people are rounded
   alike everywhere.
   grain: one row per cell
   in: cells (a table: v, c<index>, people, ck, m<index>), dimensions (their indexes), measures
       (their indexes), streams {of what: number}: people, m<index>, cell_streams(a<number>,
       b<number>: one row), bases {of what: base}
   out: table rounded(v, c<index>, people, m<index>) #}
{% from 'statistics/macros.sql' import stream, rounded %}
CREATE TABLE rounded AS
SELECT
    k.v,
    {{ dimensions | each('k.c#,') }}
    {{ rounded(['k', 'people'], bases['people'], ['k', 'y']) }} AS people
    {% for a in measures %}
    , {{ rounded(['k', 'm' ~ a], bases['m' ~ a], ['k', 'y' ~ a]) }} AS m#
    {% endfor %}
FROM (
    SELECT
        c.v, c.people,
        {{ dimensions | each('c.c#,') }}
        {% for a in measures %}
        c.m#, {{ stream(streams['m' ~ a]) }} AS y#,
        {% endfor %}
        {{ stream(streams['people']) }} AS y
    FROM {{ cells | ident }} AS c
    CROSS JOIN cell_streams AS z
) AS k
