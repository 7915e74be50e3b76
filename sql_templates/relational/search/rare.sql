{# What may be known of fewer than k people.
   grain: one row per combination
   in: counts (a table) and keys (see relational/search/counts), k
   out: a SELECT of the keys #}
SELECT {{ keys | idents('v') }}
FROM {{ counts | ident }} AS v
WHERE v.n < {{ k | integer }}
