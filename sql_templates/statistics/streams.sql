{# Two numbers for every cell by each of several names: of HMAC-SHA-256 of the name and the cell's
   key the third to tenth and the thirteenth to twentieth hexadecimal digit. They are a table, as a
   hash that is joined by where it is made may be computed twice.
   grain: one row per cell
   in: cells(cell, ck), streams (each a name with the columns of its numbers, one or two),
       ledger_secret, hash (the engine's template of a keyed hash), numbered (that of a hexadecimal
       number), fence (that of its fence, or none)
   out: table cell_streams(cell, the columns: numbers in [0, 2^32)) #}
CREATE TABLE cell_streams AS
SELECT
    {% for name, columns in streams %}
    {% set digits = ['h', 'h' ~ loop.index] %}
    {% for column in columns %}
    CAST({% with start = 10 * loop.index0 + 1 %}{% include numbered ~ '.sql' %}{% endwith %}
        AS BIGINT) % 4294967296 AS {{ column | ident }},
    {% endfor %}
    {% endfor %}
    h.cell
FROM (
    SELECT
        {% for name, columns in streams %}
        {% with hashed = ['w', 'w' ~ loop.index] %}{% include hash ~ '.sql' %}{% endwith %}
            AS {{ ('h' ~ loop.index) | ident }},
        {% endfor %}
        w.cell
    FROM (
        SELECT
            {% for name, columns in streams %}
            {{ ('cell stream ' ~ name ~ ' ') | literal }} || CAST(c.ck AS VARCHAR)
                AS {{ ('w' ~ loop.index) | ident }},
            {% endfor %}
            c.cell
        FROM cells AS c
    ) AS w
    {% if fence %}{% include fence ~ '.sql' %}{% endif +%}
) AS h
