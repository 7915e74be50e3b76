{# What may be known of fewer than k people.
   grain: one row per combination
   in: counts (a table) and kinds (see relational/census/counts), k
   out: a SELECT of (own, kinds) #}
SELECT c.own, {{ kinds | idents('c') }} FROM {{ counts | ident }} AS c WHERE c.n < {{ k | integer }}
