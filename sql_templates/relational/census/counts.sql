{# How many people have what may be known.
   grain: one row per combination of a class of people and kinds
   in: entries (a table, see relational/census/entries), least and most (how many rows are known),
       some (which of so many parts of all combinations: the first, the one after the last, of how
       many; none: all)
   out: a SELECT of (own, t1, t2, t3: kinds, 0 of none, n: people) #}
{% from 'relational/census/macros.sql' import together %}
SELECT v.own, v.t1, v.t2, v.t3, CAST(COUNT(*) AS BIGINT) AS n
FROM (
    {{ together(entries, ['own'], least, most, true, some) }}
) AS v
GROUP BY v.own, v.t1, v.t2, v.t3
