{# Where the rows that were dealt are not the source's with their codes and sensitive values, as
   multisets. What is sensitive to whom is
   worked out anew, from conditions alone; a cell that is withheld of a row that does not mind is
   compared by its value, as which rows
   a pattern lends is nowhere but there.
   grain: one row
   in: source, local_rows (with pattern), patterns, dim_<index>, attributes, semi, conditions, kept,
       bucketized, withheld {index of a bucketized column:
       of its attribute, or 0}
   out: (distinct rows whose number differs, by how many rows in all) #}
WITH own AS (
    SELECT
    {% for a in attributes %}
        {% with side = 'o' %}{% include 'star/value.sql' %}{% endwith %} AS q{{ a.index | integer
            }},
    {% endfor %}
    {% for column in kept %}
        {% if column.exact %}o.{{ column.name | ident }}{% if column.type == 'VARCHAR'
            %} COLLATE "C"{% endif %}{% else %}CAST(o.{{ column.name | ident }} AS VARCHAR){% endif
                %} AS k{{ loop.index | integer }},
    {% endfor %}
    {% for a in bucketized %}
        {% with side = 'o' %}{% include 'star/value.sql' %}{% endwith %} AS s{{ a.index | integer
            }},
    {% endfor %}
        CAST(0 {% for a in semi %}+ CASE WHEN COALESCE({{ conditions[a.index] | condition('o')
            }}, TRUE) THEN CAST({{ (2 ** loop.index0) | integer }} AS BIGINT) ELSE 0 END {% endfor
                %}AS BIGINT) AS pattern
    FROM {{ source | ident }} AS o
),
both_sides AS (
    SELECT
        w.pattern,
    {% for a in attributes %}
        {% if a in semi %}CASE WHEN {% with of = ['w', 'pattern'], i = a.index %}{% include
            'verification/minded.sql' %}{% endwith %} THEN -1 ELSE COALESCE(h{{ a.index | integer
                }}.g{{ a.min_level | integer }}, 0) END{% else %}COALESCE(h{{ a.index | integer
                    }}.g{{ a.min_level | integer }}, 0){% endif %} AS c{{ a.index | integer }},
    {% endfor %}
    {% for column in kept %}
        w.k{{ loop.index | integer }},
    {% endfor %}
    {% for b in bucketized %}
        {% if withheld[b.index] %}CASE WHEN {% with of = ['w', 'pattern'], i = withheld[b.index]
            %}{% include 'verification/minded.sql' %}{% endwith %} THEN w.s{{ b.index | integer
                }} END AS s{{ b.index | integer }}{% else %}w.s{{ b.index | integer }}{% endif %},
    {% endfor %}
        1 AS n
    FROM own AS w
    JOIN (SELECT DISTINCT p.pattern FROM patterns AS p) AS p ON p.pattern = w.pattern
    {% for a in attributes %}
    LEFT JOIN dim_{{ a.index | integer }} AS h{{ a.index | integer }} ON h{{ a.index | integer
        }}.value = w.q{{ a.index | integer }}
    {% endfor %}
    UNION ALL
    SELECT
        r.pattern,
    {% for a in attributes %}
        {% if a in semi %}CASE WHEN {% with of = ['r', 'pattern'], i = a.index %}{% include
            'verification/minded.sql' %}{% endwith %} THEN -1 WHEN r.c{{ a.index | integer
                }} = -1 THEN COALESCE(h{{ a.index | integer }}.g{{ a.min_level | integer
                    }}, 0) ELSE r.c{{ a.index | integer }} END{% else %}r.c{{ a.index | integer
                        }}{% endif %},
    {% endfor %}
    {% for column in kept %}
        {% if column.exact %}r.k{{ loop.index | integer }}{% if column.type == 'VARCHAR'
            %} COLLATE "C"{% endif %}{% else %}CAST(r.k{{ loop.index | integer
                }} AS VARCHAR){% endif %},
    {% endfor %}
    {% for b in bucketized %}
        {% if withheld[b.index] %}CASE WHEN {% with of = ['r', 'pattern'], i = withheld[b.index]
            %}{% include 'verification/minded.sql' %}{% endwith %} THEN r.s{{ b.index | integer
                }} END{% else %}r.s{{ b.index | integer }}{% endif %},
    {% endfor %}
        -1
    FROM local_rows AS r
    {% for b in bucketized if withheld[b.index] %}
    LEFT JOIN dim_{{ withheld[b.index] | integer }} AS h{{ withheld[b.index] | integer
        }} ON h{{ withheld[b.index] | integer }}.value = r.s{{ b.index | integer }}
    {% endfor %}
)
SELECT COUNT(*) AS different, CAST(COALESCE(SUM(ABS(d.surplus)), 0) AS BIGINT) AS by_rows
FROM (
    SELECT SUM(b.n) AS surplus
    FROM both_sides AS b
    GROUP BY b.pattern{% for a in attributes %}, b.c{{ a.index | integer }}{% endfor %}{% for column
        in kept %}, b.k{{ loop.index | integer }}{% endfor %}{% for b in bucketized
            %}, b.s{{ b.index | integer }}{% endfor +%}
    HAVING SUM(b.n) <> 0
) AS d
