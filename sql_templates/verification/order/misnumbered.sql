{# Numbers that do not count from 1 in the order of the rows that have them: of the first of these in
   the table that comes first, then of the sum of 40 bits of the MD5 of the number of each table
   among the holders, a full stop, and the place of each row.
   grain: one row
   in: holders [(a table of verification/order/places, which of its numbers, those of its numbers
       that were given before)], numbered (the engine's template of a hexadecimal number)
   out: the number of these numbers #}
SELECT CAST(COUNT(*) AS BIGINT) AS wrong
FROM (
    SELECT
        k.number,
        k.place,
        k.mark,
        ROW_NUMBER() OVER (ORDER BY k.number NULLS FIRST) AS due,
        LAG(k.place) OVER (ORDER BY k.number NULLS FIRST) AS place_before,
        LAG(k.mark) OVER (ORDER BY k.number NULLS FIRST) AS mark_before
    FROM (
        SELECT
            d.number,
            MIN(CASE WHEN d.holder = 1 THEN d.place END) AS place,
            SUM(CAST(
                {% with digits = ['d', 'digest'], start = 1 %}
                {% include numbered ~ '.sql' %}
                {% endwith %}
                AS BIGINT)) AS mark
        FROM (
        {% for table, number, given in holders %}
            {% set holder = loop.index %}
            SELECT
                {{ holder | integer }} AS holder,
                o.number,
                o.place,
                MD5({{ (holder ~ '.') | literal }} || CAST(o.place AS VARCHAR)) AS digest
            FROM (
                SELECT
                    r.n{{ number | integer }} AS number,
                    {% if given %}
                    DENSE_RANK() OVER (
                        ORDER BY r.place NULLS FIRST{{ given | each(', r.n# NULLS FIRST', '') }}
                    )
                    {% else %}
                    r.place
                    {% endif %}
                    AS place
                FROM {{ table | ident }} AS r
            ) AS o
            WHERE o.number IS NOT NULL
            {% if not loop.last %}UNION ALL{% endif +%}
        {% endfor %}
        ) AS d
        GROUP BY d.number
    ) AS k
) AS c
WHERE c.number <> c.due
    OR c.place IS NULL
    OR c.place < c.place_before
    OR (c.place = c.place_before AND c.mark < c.mark_before)
