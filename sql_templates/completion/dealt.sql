{# How often each bucket or group has each of its values.
   grain: one row per bucket and value
   in: table (see completion/bucket)
   out: (bucket, value, count) #}
SELECT b.grp, b.value, b.past - b.first AS n
FROM {{ table | ident }} AS b
