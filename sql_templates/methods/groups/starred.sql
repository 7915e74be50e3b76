{# Groups that are released as * in every quasi-identifying column: masked rows could not be told
   from them.
   grain: one row
   in: groups, attributes
   out: how many #}
SELECT COUNT(*) AS starred
FROM groups AS x
WHERE {{ attributes | each("x.v# = '*'", ' AND ') }}
