{# How many people's value of a column is guessed rightly by the most frequent value among those who
   agree with them in the other columns; of equally frequent values the one of the first bin.
   grain: one row
   in: useful_people, a (the column), others (one or more), usual and usual_released (the most
       frequent bin of the source and of the draws: the guess where nobody agrees)
   out: (guessed by the draws; by the source; by the source without the person) #}
SELECT
    CAST(COALESCE(SUM(CASE
        WHEN g.released = 0 THEN
            CASE WHEN g.bin = {{ usual_released | integer }} THEN g.n ELSE 0 END
        WHEN g.released_place = 1 THEN g.n ELSE 0 END), 0) AS BIGINT) AS by_draws,
    CAST(COALESCE(SUM(CASE WHEN g.place = 1 THEN g.n ELSE 0 END), 0) AS BIGINT) AS by_source,
    CAST(COALESCE(SUM(CASE
        WHEN g.people = 1 THEN CASE WHEN g.bin = {{ usual | integer }} THEN g.n ELSE 0 END
        WHEN g.place > 1 OR g.n - 1 < COALESCE(g.next_n, 0) THEN 0
        WHEN g.n - 1 = COALESCE(g.next_n, 0) AND g.bin > g.next_bin THEN 0
        ELSE g.n END), 0) AS BIGINT) AS by_others
FROM (
    SELECT
        h.bin, h.n, h.place, h.released_place, h.people, h.released,
        LEAD(h.n) OVER (PARTITION BY {{ others | listed('h.b#') }} ORDER BY h.place NULLS FIRST)
            AS next_n,
        LEAD(h.bin) OVER (PARTITION BY {{ others | listed('h.b#') }} ORDER BY h.place NULLS FIRST)
            AS next_bin
    FROM (
        SELECT
            {{ others | each('p.b#,') }} p.b# AS bin, p.n,
            ROW_NUMBER() OVER (
                PARTITION BY {{ others | listed('p.b#') }}
                ORDER BY p.n DESC NULLS LAST, p.b# NULLS FIRST
            ) AS place,
            ROW_NUMBER() OVER (
                PARTITION BY {{ others | listed('p.b#') }}
                ORDER BY p.r DESC NULLS LAST, p.b# NULLS FIRST
            ) AS released_place,
            SUM(p.n) OVER (PARTITION BY {{ others | listed('p.b#') }}) AS people,
            SUM(p.r) OVER (PARTITION BY {{ others | listed('p.b#') }}) AS released
        FROM useful_people AS p
    ) AS h
) AS g
WHERE g.n > 0
