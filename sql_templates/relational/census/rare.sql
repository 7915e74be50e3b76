{# What may be known of fewer than k people.
   grain: one row per combination
   in: counts (a table, see relational/census/counts), k
   out: a SELECT of (own, t1, t2, t3) #}
SELECT c.own, c.t1, c.t2, c.t3 FROM {{ counts | ident }} AS c WHERE c.n < {{ k | integer }}
