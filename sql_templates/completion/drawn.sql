{# The values that some columns draw. Ten hexadecimal digits of a hash, as a share of 1, times the
   weight of all that a label stands for, is a position in its ranges, and the range tells the atom.
   Where every label stands for one value, its token tells that. A row of a class that is known to
   have some values takes its turn among the rows of the class, in an order that the class's hash
   begins, and is given the value of its turn by a part of the numbers that it may draw.
   grain: one row per draw and released row
   in: into, before (a table; none for the first columns, of which the rows are numbered here: see
       completion/keyed), again (a table of rows of which completion/again draws some anew, or
       none), times (how often), joint (whether columns are drawn together), mixed (the columns, by index, whose values
       depend on the component of the row), patterns (of classes: completion/misplaced), chosen (completed
       columns), done (those drawn before), labeled, kept, divided, buckets, single (the columns, by
       index, whose labels stand for one value each), ranged (those of the others whose labels
       stand for one range each), blocks {index: (hash, position
       in it)}, slots {index: units}, listed {index: which of the columns value<n> lists its atoms'
       values, or none}, hashes [(number, salt)], placing (the columns, by index, of whose classes
       some values are known to occur), turns {index of such a column: (hash of the class, position
       in it)}, orders [(number of such a hash, salt)], numbered (the engine's template of a
       hexadecimal number), fence (that of its ``fence``, or none), completed_placed(position,
       token, size, turn, chance, start), completed_ranges(position, token, first, past,
       start, total), completed_atoms(position, atom, slot, first, past, low, width, value1 …);
       position: the index of the column, plus 2**16 for each component before the row's
   out: table into: the columns of before, and v<index> of the chosen #}
{% macro placed(c, of, row) %}
{% if c.index in mixed %}{# the first condition leaves few rows to join #}
{{ [of ~ c.index, 'position'] | ident }} % 65536 = {{ c.index | integer }} AND {% endif -%}
{{ [of ~ c.index, 'position'] | ident }} = {{ c.index | integer }}{% if c.index in mixed %} + 65536 * {{ [row, 'component'] | ident }}{% endif %}
{% endmacro %}
CREATE TABLE {{ into | ident }} AS
SELECT
    q.draw,
    {{ labeled | each('q.t#,') }}
    {{ kept | each('q.k#,') }}
    {{ buckets | each('q.g#,') }}
    {{ done | each('q.v#,') }}
    {% if placing %}
    q.occurrence,
    q.size,
    q.class,
    {% endif %}
    {% if joint %}
    q.combination,
    q.component,
    q.loss,
    {% if again %}
    q.again,
    q.own,
    {% endif %}
    {% endif %}
    {% if patterns %}
    {{ done | each('q.a#,') }}
    {% for c in chosen %}
    {{ c | sql('a#.atom AS a#,') }}
    {% endfor %}
    {% endif %}
    {% for c in chosen %}
    {% if listed[c.index] %}
    a{{ c.index | integer }}.value{{ listed[c.index] | integer }} AS {{ ('v' ~ c.index) | ident }},
    {% elif c.index in single %}
    CAST({{ c | sql('a#.low') }}
        {%- if c.kind == 'decimal' %} / CAST({{ (10 ** c.column.scale) | integer }} AS DOUBLE)
        {%- endif %} AS {{ c.column.type | sql_type }}) AS {{ ('v' ~ c.index) | ident }},
    {% elif c.kind == 'integer' %}
    CAST({{ c | sql('a#.low + LEAST(FLOOR((q.y# - a#.first) /
        CAST(a#.past - a#.first AS DOUBLE) * a#.width), a#.width - 1)') }}
        AS {{ c.column.type | sql_type }}) AS {{ ('v' ~ c.index) | ident }},
    {% elif c.kind == 'decimal' %}
    CAST(({{ c | sql('a#.low + LEAST(FLOOR((q.y# - a#.first) /
        CAST(a#.past - a#.first AS DOUBLE) * a#.width), a#.width - 1)') }})
        / CAST({{ (10 ** c.column.scale) | integer }} AS DOUBLE)
        AS {{ c.column.type | sql_type }}) AS {{ ('v' ~ c.index) | ident }},
    {% else %}
    CAST({{ c | sql('a#.low + (q.y# - a#.first) /
        CAST(a#.past - a#.first AS DOUBLE) * a#.width') }}
        AS {{ c.column.type | sql_type }}) AS {{ ('v' ~ c.index) | ident }},
    {% endif %}
    {% endfor %}
    q.hash
FROM (
    SELECT
        z.*
        {% for c in chosen if c.index not in single %}
        , {% if c.index in turns %}{{ c | sql('COALESCE(z.f#, ') }}{% else %}({% endif -%}
        {% if c.index not in ranged %}{{ c | sql('r#.start + ') }}{% endif -%}
        {{ c | sql('z.z#) AS y#') }}
        {% endfor %}
    FROM (
        SELECT
            h.*
            {% for c in chosen if c.index not in single %}
            {% if c.index in turns %}
            , {{ c | sql('CASE WHEN h.n# < f#.chance THEN f#.start END AS f#') }}
            {% endif %}
            , {% if c.index in ranged %}{{ c | sql('r#.start') }} + {% endif -%}
            CAST(FLOOR(
                {% if c.index in turns %}
                {{ c | sql('GREATEST(h.n# - COALESCE(f#.chance, 0), 0)') }}
                / {{ c | sql('CAST(1099511627776 - COALESCE(f#.chance, 0) AS DOUBLE)') }}
                {% else %}
                {{ c | sql('h.n#') }} / CAST(1099511627776 AS DOUBLE)
                {% endif %}
                * CAST({% if c.index in ranged %}{{ c | sql('r#.past') }}
                    {%- else %}{{ c | sql('u#.total') }}{% endif %} AS DOUBLE)
            ) AS BIGINT) AS {{ ('z' ~ c.index) | ident }}
            {% endfor %}
        FROM (
            SELECT
                p.*
                {% for c in chosen if c.index not in single %}
                ,
                {% with digits = ['p', 'h' ~ blocks[c.index][0]], start = blocks[c.index][1] %}
                {% include numbered ~ '.sql' %}
                {% endwith %}
                AS {{ ('n' ~ c.index) | ident }}
                {% if c.index in turns %}
                , p.occurrence - 1 + CAST(FLOOR(
                {% with digits = ['p', 'c' ~ turns[c.index][0]], start = turns[c.index][1] %}
                {% include numbered ~ '.sql' %}
                {% endwith %}
                / CAST(1099511627776 AS DOUBLE) * p.size) AS BIGINT) AS {{ ('o' ~ c.index) | ident }}
                {% endif %}
                {% endfor %}
            FROM (
                SELECT
                    p.*
                    {% for number, salt in hashes %}
                    , MD5(p.hash || '.' || {{ salt | literal }}) AS {{ ('h' ~ number) | ident }}
                    {% endfor %}
                    {% for number, salt in orders %}
                    , {% if salt %}MD5(p.class || '.' || {{ salt | literal }}){% else %}p.class
                    {%- endif %} AS {{ ('c' ~ number) | ident }}
                    {% endfor %}
                {% if before %}
                FROM {{ before | ident }} AS p
                {% else %}
                FROM (
                    {% if again %}
                    {% include 'completion/again.sql' %}
                    {% else %}
                    {% include 'completion/keyed.sql' %}
                    {% endif %}
                ) AS p
                {% endif %}
                {% if fence %}{% include fence ~ '.sql' %}{% endif +%}
            ) AS p
            {% if fence %}{% include fence ~ '.sql' %}{% endif +%}
        ) AS h
        {% for c in chosen if c.index in turns %}
        LEFT JOIN completed_placed AS {{ ('f' ~ c.index) | ident }}
            ON {{ placed(c, 'f', 'h') }}
            AND {{ c | sql('f#.token = h.t# AND f#.size = h.size') }}
            AND {{ c | sql('f#.turn = h.o# - CASE WHEN h.o# >= h.size THEN h.size ELSE 0 END') }}
        {% endfor %}
        {% for c in chosen if c.index in ranged %}
        LEFT JOIN completed_ranges AS {{ ('r' ~ c.index) | ident }}
            ON {{ placed(c, 'r', 'h') }} AND {{ c | sql('r#.token = h.t#') }}
        {% endfor %}
        {% for c in chosen if c.index not in single and c.index not in ranged %}
        LEFT JOIN completed_ranges AS {{ ('u' ~ c.index) | ident }}
            ON {{ placed(c, 'u', 'h') }}
            AND {{ c | sql('u#.token = h.t# AND u#.first = 0') }}
        {% endfor %}
        {% if fence %}{% include fence ~ '.sql' %}{% endif +%}
    ) AS z
    {% for c in chosen if c.index not in single and c.index not in ranged %}
    LEFT JOIN completed_ranges AS {{ ('r' ~ c.index) | ident }}
        ON {{ placed(c, 'r', 'z') }} AND {{ c | sql('r#.token = z.t#') }}
        AND {{ c | sql('z.z# >= r#.first AND z.z# < r#.past') }}
    {% endfor %}
) AS q
{% for c in chosen %}
{% if c.index in single %}
LEFT JOIN (
    SELECT r.token, s.*
    FROM completed_ranges AS r
    JOIN completed_atoms AS s
        ON s.position = r.position AND s.first = r.start + r.first
        AND s.slot * {{ slots[c.index] | integer }} <= s.first
    WHERE r.position = {{ c.index | integer }}
) AS {{ ('a' ~ c.index) | ident }}
    ON {{ c | sql('a#.token = q.t#') }}
{% else %}
LEFT JOIN completed_atoms AS {{ ('a' ~ c.index) | ident }}
    ON {{ placed(c, 'a', 'q') }}
    AND {{ c | sql('a#.first <= q.y# AND a#.past > q.y#') }}
    AND {{ c | sql('a#.slot') }} = CAST(FLOOR(
        CAST({{ c | sql('q.y#') }} AS DOUBLE) / CAST({{ slots[c.index] | integer }} AS DOUBLE)
    ) AS BIGINT)
{% endif %}
{% endfor %}
