{# Numbers by the rows that have them: by the first of these in the order of content, then by a sum of
   hashes of the places of all, then by the random numbers that are there.
   grain: one row per number that is there
   in: extents [(content: a table of release/numbering/content, number: which of its numbers, before
       [(number, table)]: those of its numbers that have been replaced, and the tables of what
       replaces them)], numbered (the engine's template of a hexadecimal number)
   out: a SELECT of (own: the number that is there, number: 1 … n) #}
SELECT
    g.own,
    CAST(ROW_NUMBER() OVER (
        ORDER BY g.place NULLS LAST, g.weight NULLS LAST, g.own NULLS LAST
    ) AS BIGINT) AS number
FROM (
    SELECT h.own, MIN(h.place) AS place, SUM(h.weight) AS weight
    FROM (
        SELECT
            u.own,
            u.place,
            CAST({% with digits = ['u', 'hash'], start = 1 %}
            {% include numbered ~ '.sql' %}
            {% endwith %} AS BIGINT) AS weight
        FROM (
        {% for e in extents %}
            SELECT
                p.own,
                {% if loop.first %}p.place{% else %}CAST(NULL AS BIGINT){% endif %} AS place,
                MD5({{ (loop.index ~ '.') | literal }} || CAST(p.place AS VARCHAR)) AS hash
            FROM (
                SELECT
                    c.n{{ e.number | integer }} AS own,
                {% if e.before %}
                    DENSE_RANK() OVER (
                        ORDER BY c.place NULLS FIRST
                        {% for number, _ in e.before %}
                        , b{{ number | integer }}.number NULLS FIRST
                        {% endfor %}
                    ) AS place
                {% else %}
                    c.place
                {% endif %}
                FROM {{ e.content | ident }} AS c
                {% for number, table in e.before %}
                LEFT JOIN {{ table | ident }} AS b{{ number | integer }}
                    ON b{{ number | integer }}.own = c.n{{ number | integer }}
                {% endfor %}
            ) AS p
            WHERE p.own IS NOT NULL
            {% if not loop.last %}UNION ALL{% endif +%}
        {% endfor %}
        ) AS u
    ) AS h
    GROUP BY h.own
) AS g
