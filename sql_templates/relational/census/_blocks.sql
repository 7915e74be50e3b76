-- name: counts
{# How many people have what may be known.
   grain: one row per combination of a class of people and kinds
   in: entries (a table, see relational/census/entries), least and most (how many rows are known),
       kinds (t1, t2, t3, as many as rows may be known at most), some (which of so many parts of all
       combinations: the first, the one after the last, of how many; none: all)
   out: a SELECT of (own, kinds: 0 of none, n: people) #}
{% from 'relational/census/macros.sql' import together %}
SELECT v.own, {{ kinds | idents('v') }}, CAST(COUNT(*) AS BIGINT) AS n
FROM (
    {{ together(entries, ['own'], least, most, true, some, kinds) }}
) AS v
GROUP BY v.own, {{ kinds | idents('v') }}

-- name: found
{# The people who have what is rare.
   grain: one row per person
   in: rare (see relational/census/rare), suspects (see relational/census/suspects), least and most
       (how many rows are known), kinds and some (see
       relational/census/counts)
   out: a SELECT of (person, origin, parent, class) as of people to suppress #}
{% from 'relational/census/macros.sql' import together %}
SELECT v.holder AS person, 1 AS origin, v.holder AS parent, MIN(v.own) AS class
FROM (
    {{ together('suspects', ['holder', 'own'], least, most, true, some, kinds) }}
) AS v
JOIN rare AS r ON r.own = v.own {{ kinds | each('AND r.@ = v.@') }}
GROUP BY v.holder

-- name: rare
{# What may be known of fewer than k people.
   grain: one row per combination
   in: counts (a table) and kinds (see relational/census/counts), k
   out: a SELECT of (own, kinds) #}
SELECT c.own, {{ kinds | idents('c') }} FROM {{ counts | ident }} AS c WHERE c.n < {{ k | integer }}
