{# Which of the rows that fit a class with fewer released rows are in it, as far as their kept
   values tell. They do where every released row of the class has those of a row that fits: then
   rows whose kept values no released row has are not in it, and those of which as many are released
   as fit are. All others are open: so many of a block are in it (m), of so many (b), and which is
   not known. A block is the rows of a class with equal kept values, or the whole class.
   grain: as table's
   in: table (together_rows_<step - 1>), made (the new table), place (of the release in the list),
       number (of the release), together_shown_<number>, releases (places of all), told (places of
       those that were looked at before), kept (numbers of all kept values), own (by number, those
       of this release: number there, type to cast to or none), order [(number, whether it is text)]
       (the same), entity (whether who is there)
   out: table made(e<place>: class, 0 for none, o<place>: block, 0 where nothing is open, m<place>,
       b<place>, y<j>, who, n) #}
{% from 'verification/attack/macros.sql' import kept_value %}
{% set e, o = 'e' ~ place, 'o' ~ place %}
CREATE TABLE {{ made | ident }} AS
WITH sides AS (
    SELECT
        0 AS side,
        {{ releases | each('t.e#,') }}
        {{ told | each('t.o#, t.m#, t.b#,') }}
        {{ kept | each('t.y#,') }}
        {% if entity %}
        t.who,
        {% endif %}
        t.n
    FROM {{ table | ident }} AS t
    UNION ALL
    SELECT
        1 AS side,
        {% for each in releases %}
        {% if each == place %}
        r.class AS {{ e | ident }},
        {% else %}
        {{ each | sql('0 AS e#,') }}
        {% endif %}
        {% endfor %}
        {{ told | each('0 AS o#, 0 AS m#, 0 AS b#,') }}
        {% for j in kept %}
        {% if j in own %}
        {{ kept_value('y' ~ own[j][0], own[j][1]) }} AS y{{ j | integer }},
        {% else %}
        {{ j | sql('NULL AS y#,') }}
        {% endif %}
        {% endfor %}
        {% if entity %}
        NULL AS who,
        {% endif %}
        r.n
    FROM together_shown_{{ number | integer }} AS r
),
numbered AS (
    SELECT
        s.*,
        {% if order %}
        DENSE_RANK() OVER (
            ORDER BY
            {% for j, text in order %}
                s.y{{ j | integer }}{% if text %} COLLATE "C"{% endif %} NULLS FIRST
                {%- if not loop.last %},{% endif +%}
            {% endfor %}
        ) AS alike
        {% else %}
        1 AS alike
        {% endif %}
    FROM sides AS s
),
counted AS (
    SELECT
        u.*,
        SUM(CASE WHEN u.side = 0 THEN u.n ELSE 0 END)
            OVER (PARTITION BY u.{{ e | ident }}) AS fitting,
        SUM(CASE WHEN u.side = 1 THEN u.n ELSE 0 END)
            OVER (PARTITION BY u.{{ e | ident }}) AS shown,
        SUM(CASE WHEN u.side = 0 THEN u.n ELSE 0 END)
            OVER (PARTITION BY u.{{ e | ident }}, u.alike) AS alike_fitting,
        SUM(CASE WHEN u.side = 1 THEN u.n ELSE 0 END)
            OVER (PARTITION BY u.{{ e | ident }}, u.alike) AS alike_shown
    FROM numbered AS u
),
doubted AS (
    SELECT
        v.*,
        MAX(CASE WHEN v.alike_shown > v.alike_fitting THEN 1 ELSE 0 END)
            OVER (PARTITION BY v.{{ e | ident }}) AS doubt
    FROM counted AS v
),
judged AS (
    SELECT
        w.*,
        CASE
            WHEN w.{{ e | ident }} = 0 OR w.shown >= w.fitting THEN 0
            WHEN w.doubt = 1 THEN -1
            WHEN w.alike_shown = 0 OR w.alike_shown = w.alike_fitting THEN 0
            ELSE w.alike
        END AS block,
        CASE
            WHEN w.doubt = 0 AND w.alike_shown = 0 AND w.shown < w.fitting THEN 1
            ELSE 0
        END AS is_out
    FROM doubted AS w
    WHERE w.side = 0
)
SELECT
    {% for each in releases %}
    {% if each == place %}
    CASE WHEN x.is_out = 1 THEN 0 ELSE x.{{ e | ident }} END AS {{ e | ident }},
    {% else %}
    {{ each | sql('x.e#,') }}
    {% endif %}
    {% endfor %}
    {{ told | each('x.o#, x.m#, x.b#,') }}
    CAST(x.block AS BIGINT) AS {{ o | ident }},
    CAST(CASE
        WHEN x.block = 0 THEN 0
        WHEN x.block < 0 THEN x.shown
        ELSE x.alike_shown
    END AS BIGINT) AS {{ ('m' ~ place) | ident }},
    CAST(CASE
        WHEN x.block = 0 THEN 0
        WHEN x.block < 0 THEN x.fitting
        ELSE x.alike_fitting
    END AS BIGINT) AS {{ ('b' ~ place) | ident }},
    {{ kept | each('x.y#,') }}
    {% if entity %}
    x.who,
    {% endif %}
    x.n
FROM judged AS x
