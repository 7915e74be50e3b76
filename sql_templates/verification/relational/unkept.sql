{# Things that may be known of people whose sensitive values do not keep a promise.
   grain: one row
   in: table (see verification/relational/matching), keys, promise, reference_<index>
   out: (things, those that break it) #}
SELECT COUNT(*) AS things, COUNT(CASE WHEN NOT w.ok THEN 1 END) AS broken
FROM (
    {% include 'verification/keeping.sql' +%}
) AS w
