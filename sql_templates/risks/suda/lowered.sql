{# The rows that sets of one column more are looked for in, and which sets of this level each is
   alone in, minimally or not. Rows that are alone in all of them are in no other row's way, and
   left aside.
   in: level, into, cells, found (the tables of this level), columns, bits (for each column b<n> of
       the result, its sets: each with bit, number, and masks as in risks/suda/found), full (for
       each column b<n>, all of its bits)
   out: table suda_cells_<level + 1>(cell, n, v<position>, b<n>: a bit a set) #}
CREATE TABLE {{ into | ident }} AS
SELECT
    r.cell,
    r.n,
    {{ columns | each('r.v$,') }}
    {% for _ in full %}
    r.{{ ('b' ~ loop.index0) | ident }}{% if not loop.last %},{% endif +%}
    {% endfor %}
FROM (
    SELECT
        c.cell,
        c.n,
        {{ columns | each('c.v$,') }}
        {% for sets in bits %}
        COALESCE(f.{{ ('b' ~ loop.index0) | ident }}, 0)
            {% for subset in sets %}
            + CASE WHEN
                {% for position, mask in subset.masks %}
                (c.{{ ('b' ~ position) | ident }} & {{ mask | integer }}) <> 0
                {% if not loop.last %}OR{% endif +%}
                {% endfor %}
                THEN {{ subset.bit | integer }} ELSE 0 END
            {% endfor %}
            AS {{ ('b' ~ loop.index0) | ident }}{% if not loop.last %},{% endif +%}
        {% endfor %}
    FROM {{ cells | ident }} AS c
    LEFT JOIN (
        SELECT
            u.cell,
            {% for sets in bits %}
            CAST(SUM(CASE
                {% for subset in sets %}
                WHEN u.subset = {{ subset.number | integer }} THEN {{ subset.bit | integer }}
                {% endfor %}
                ELSE 0 END) AS BIGINT)
                AS {{ ('b' ~ loop.index0) | ident }}{% if not loop.last %},{% endif +%}
            {% endfor %}
        FROM (
            {% for table in found %}
            SELECT t.cell, t.subset FROM {{ table | ident }} AS t
            {% if not loop.last %}UNION ALL{% endif +%}
            {% endfor %}
        ) AS u
        GROUP BY u.cell
    ) AS f ON f.cell = c.cell
) AS r
WHERE NOT (TRUE
    {% for bits_of_column in full %}
    AND r.{{ ('b' ~ loop.index0) | ident }} = {{ bits_of_column | integer }}
    {% endfor %}
)
