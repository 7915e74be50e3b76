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
