{# What may be known of people whose sensitive values break a promise.
   grain: one row per combination
   in: table (see relational/sensitive/valued), keys, promise, values_<index>
   out: a SELECT of the keys #}
SELECT {{ keys | idents('w') }}
FROM (
    {% include 'privacy/classes.sql' +%}
) AS w
WHERE NOT w.ok
