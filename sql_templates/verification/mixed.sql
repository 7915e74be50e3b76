{# Cells that are released otherwise than they should be: of a row that does not mind, withheld in a
   group where they are not hidden; in a bucket although they are generalized or hidden; in no
   bucket although they are neither; withheld otherwise than the row's pattern is.
   grain: one row
   in: local_rows (which verification/marked compares with the source), patterns, groups, semi,
       bucketized, withheld {index of a bucketized column: of its attribute, or 0}
   out: (rows with cells of the first kind, rows of the others) #}
{% from 'verification/macros.sql' import minded %}
SELECT
    (
        SELECT COUNT(*)
        FROM local_rows AS r
        LEFT JOIN groups AS x ON x.grp = r.grp
        WHERE FALSE
        {% for a in semi %}
            OR (
                r.c# = -1
                AND NOT ({{ minded(semi, a.index, ['r', 'pattern']) }})
                AND COALESCE(x.v#, '') <> '*'
            )
        {% endfor %}
    ) AS exposed,
    (
        SELECT COUNT(*)
        FROM local_rows AS r
        JOIN groups AS x ON x.grp = r.grp
        LEFT JOIN patterns AS p ON p.pattern = r.pattern AND p.lent = r.lent
        WHERE p.pattern IS NULL
            {{ semi | each('OR (r.c# = -1) <> (p.f# = 1)') }}
        {% for b in bucketized if withheld[b.index] %}
        {% set i = withheld[b.index] %}
            OR r.w{{ b.index | integer }}
                <> {{ i | sql('CASE WHEN r.c# = -1 AND x.v# IS NULL THEN 1 ELSE 0 END') }}
        {% endfor %}
    ) AS misplaced
