{# How many people have what may be known, for each thing that may: the class of the own row, the
   kinds of some rows, and for every two of them how many rows they both belong to.
   grain: one row
   in: rows (how many are known, none of which another one belongs to), depth (the greatest), keys
       (own, kind1 …, common2_1 …), k, shares and share (see verification/relational/macros),
       verified_1, knowable
   out: (things that may be known, those of fewer than k people, the fewest people that one has) #}
{% from 'verification/relational/macros.sql' import combined, named, where_share %}
SELECT COUNT(*) AS things, COUNT(CASE WHEN g.people < {{ k | integer }} THEN 1 END) AS rare,
    MIN(g.people) AS fewest
FROM (
    SELECT COUNT(DISTINCT w.person) AS people
    FROM (
        SELECT t.alike AS own, t.id AS person
        {{ named(rows, depth) }}
        FROM verified_1 AS t
        {{ combined(rows, depth) }}
        {{ where_share(['t', 'alike'], rows, shares, share) }}
    ) AS w
    GROUP BY {{ keys | idents('w') }}
) AS g
