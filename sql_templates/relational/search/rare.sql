{# What may be known of fewer than k people.
   grain: one row per combination
   in: counts (a table, see relational/search/counts), size (of known rows), depth (the greatest of
       a table), k
   out: a SELECT of (own, c1 …, s<i>_<j>: see relational/search/macros) #}
{% from 'relational/search/macros.sql' import keys %}
SELECT {{ keys('v', size, depth) }}
FROM {{ counts | ident }} AS v
WHERE v.n < {{ k | integer }}
